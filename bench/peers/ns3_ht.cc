// ns-3 side of the comparison with aggregation: a chain of 802.11n stations with A-MPDUs, and one flow from end to end.
//
//   ns3_ht-peer <hops> <metres a hop> udp|tcp <kbit/s | window> <seconds> <seed>
//
// 802.11n at 5 GHz over 20 MHz, MCS 7 with one stream, control frames at 24 Mbit/s, A-MPDUs of at most 65,535 bytes, no
// RTS. Log-distance loss with exponent 3, 16.0206 dBm, table-based errors. Static routes, no ARP on the air, no queue
// discipline, queue of 100 packets an access category (500 where there is one hop). The UDP payload has 1472 bytes, a
// TCP segment 1460; TCP NewReno with SACK, an ACK for every segment.
// Prints `flow 0 <payload bytes received in order>` and `events <n>`.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <iostream>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t kSegment = 1460;  // bytes
constexpr uint32_t kDatagram = 1472; // bytes
constexpr uint16_t kPort = 5001;

void
SetDefaults(uint32_t hops, uint32_t window)
{
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue(hops == 1 ? "500p" : "100p"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(3600)));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window * kSegment));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

NetDeviceContainer
InstallWifi(const NodeContainer& nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "Exponent",
                               DoubleValue(3),
                               "ReferenceDistance",
                               DoubleValue(1),
                               "ReferenceLoss",
                               DoubleValue(46.6777));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.SetErrorRateModel("ns3::TableBasedErrorRateModel");
    phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));

    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("HtMcs7"),
                                 "ControlMode",
                                 StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac",
                "QosSupported",
                BooleanValue(true),
                "BE_MaxAmpduSize",
                UintegerValue(65535));
    return wifi.Install(phy, mac, nodes);
}

void
SetRoutes(const NodeContainer& nodes, const Ipv4InterfaceContainer& interfaces)
{
    Ipv4StaticRoutingHelper helper;
    const uint32_t last = nodes.GetN() - 1;
    for (uint32_t node = 0; node <= last; ++node)
    {
        const auto table = helper.GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>());
        if (node < last)
        {
            table->AddHostRouteTo(interfaces.GetAddress(last), interfaces.GetAddress(node + 1), 1);
        }
        if (node > 0)
        {
            table->AddHostRouteTo(interfaces.GetAddress(0), interfaces.GetAddress(node - 1), 1);
        }
    }
}

void
InstallSource(Ptr<Node> node, const InetSocketAddress& target, double kbps)
{
    if (kbps == 0)
    {
        BulkSendHelper source("ns3::TcpSocketFactory", target);
        source.SetAttribute("SendSize", UintegerValue(kSegment));
        source.Install(node).Start(Seconds(0.1));
        return;
    }
    OnOffHelper source("ns3::UdpSocketFactory", target);
    source.SetConstantRate(DataRate(static_cast<uint64_t>(kbps * 1000)), kDatagram);
    source.Install(node).Start(Seconds(0.1));
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 7)
    {
        std::cerr << "usage: ns3_ht-peer <hops> <metres a hop> udp|tcp <kbit/s | window> <seconds> <seed>\n";
        return 2;
    }
    const uint32_t hops = std::stoul(argv[1]);
    const double spacing = std::stod(argv[2]);
    const bool udp = std::string(argv[3]) == "udp";
    const double amount = std::stod(argv[4]);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::stoul(argv[6]));
    SetDefaults(hops, udp ? 64 : static_cast<uint32_t>(amount));

    NodeContainer nodes;
    nodes.Create(hops + 1);
    auto positions = CreateObject<ListPositionAllocator>();
    for (uint32_t node = 0; node <= hops; ++node)
    {
        positions->Add(Vector(spacing * node, 0, 0));
    }
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.SetPositionAllocator(positions);
    mobility.Install(nodes);

    const NetDeviceContainer devices = InstallWifi(nodes);
    InternetStackHelper internet;
    Ipv4StaticRoutingHelper routing;
    internet.SetRoutingHelper(routing);
    internet.Install(nodes);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.1.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache();
    SetRoutes(nodes, interfaces);

    const InetSocketAddress target(interfaces.GetAddress(hops), kPort);
    PacketSinkHelper helper(udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory",
                            InetSocketAddress(Ipv4Address::GetAny(), kPort));
    const auto sink = DynamicCast<PacketSink>(helper.Install(nodes.Get(hops)).Get(0));
    InstallSource(nodes.Get(0), target, udp ? amount : 0);

    Simulator::Stop(Seconds(std::stod(argv[5])));
    Simulator::Run();
    std::cout << "flow 0 " << sink->GetTotalRx() << "\n";
    std::cout << "events " << Simulator::GetEventCount() << "\n";
    Simulator::Destroy();
    return 0;
}
