// ns-3 side of the comparison: one wireless scenario with greedy TCP NewReno flows and no traces.
//
//   ns3-peer <scenario file> <seconds> <seed>
//
// The scenario file (written by scenarios.py, the same for every simulator) has one line per node, `node x y`, and one
// per flow, `flow from to start`. 802.11b DSSS at 2 Mbit/s, RTS/CTS for every frame at 1 Mbit/s, two-ray ground at
// 914 MHz, 250 m receive and 550 m sense, static shortest-path routes, no ARP on the air, queue of 50 packets.
// Prints `flow <index> <payload bytes received in order>` for each flow and `events <n>`.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/traffic-control-module.h"
#include "ns3/wifi-module.h"

#include <cmath>
#include <deque>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

constexpr double kReceiveRange = 250.0; // m
constexpr uint32_t kWindow = 32;        // segments
constexpr uint32_t kSegment = 1460;     // bytes

struct Flow
{
    uint32_t from;
    uint32_t to;
    double start; // s
};

struct Scenario
{
    std::vector<Vector> positions;
    std::vector<Flow> flows;
};

Scenario
Load(const std::string& path)
{
    Scenario scenario;
    std::ifstream input(path);
    for (std::string line; std::getline(input, line);)
    {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "node")
        {
            Vector position;
            words >> position.x >> position.y;
            scenario.positions.push_back(position);
        }
        else if (kind == "flow")
        {
            Flow flow{};
            words >> flow.from >> flow.to >> flow.start;
            scenario.flows.push_back(flow);
        }
    }
    NS_ABORT_MSG_IF(scenario.positions.empty() || scenario.flows.empty(), "no scenario in " << path);
    return scenario;
}

// Next hop of every node towards `root` on a shortest path: breadth-first search over links within the receive range.
std::vector<int>
NextHops(const std::vector<Vector>& positions, uint32_t root)
{
    std::vector<int> next(positions.size(), -1);
    next[root] = static_cast<int>(root);
    std::deque<uint32_t> frontier{root};
    while (!frontier.empty())
    {
        const uint32_t here = frontier.front();
        frontier.pop_front();
        for (uint32_t other = 0; other < positions.size(); ++other)
        {
            if (next[other] < 0 && CalculateDistance(positions[here], positions[other]) <= kReceiveRange)
            {
                next[other] = static_cast<int>(here);
                frontier.push_back(other);
            }
        }
    }
    return next;
}

void
SetTcpDefaults()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(kWindow * kSegment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 * kWindow * kSegment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
}

NetDeviceContainer
InstallWifi(const NodeContainer& nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::TwoRayGroundPropagationLossModel",
                               "Frequency",
                               DoubleValue(914e6),
                               "HeightAboveZ",
                               DoubleValue(1.5));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("TxPowerStart", DoubleValue(24.5));
    phy.Set("TxPowerEnd", DoubleValue(24.5));
    phy.Set("TxGain", DoubleValue(0));
    phy.Set("RxGain", DoubleValue(0));
    // Power at 550 m: below it a frame is not heard at all. Power at 250 m: below it a frame is only sensed.
    phy.Set("RxSensitivity", DoubleValue(-78.51));
    phy.Set("CcaEdThreshold", DoubleValue(-78.10));
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "MinimumRssi",
                                  DoubleValue(-64.40));

    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("DsssRate2Mbps"),
                                 "ControlMode",
                                 StringValue("DsssRate1Mbps"),
                                 "NonUnicastMode",
                                 StringValue("DsssRate1Mbps"),
                                 "RtsCtsThreshold",
                                 StringValue("0"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, nodes);
}

void
SetRoutes(const NodeContainer& nodes, const Ipv4InterfaceContainer& interfaces, const Scenario& scenario)
{
    Ipv4StaticRoutingHelper helper;
    for (const Flow& flow : scenario.flows)
    {
        for (const uint32_t end : {flow.from, flow.to})
        {
            const std::vector<int> next = NextHops(scenario.positions, end);
            for (uint32_t node = 0; node < nodes.GetN(); ++node)
            {
                if (node != end && next[node] >= 0)
                {
                    helper.GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>())
                        ->AddHostRouteTo(interfaces.GetAddress(end), interfaces.GetAddress(next[node]), 1);
                }
            }
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 4)
    {
        std::cerr << "usage: ns3-peer <scenario file> <seconds> <seed>\n";
        return 2;
    }
    const Scenario scenario = Load(argv[1]);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(std::stoul(argv[3]));
    SetTcpDefaults();
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("50p"));

    NodeContainer nodes;
    nodes.Create(scenario.positions.size());
    auto positions = CreateObject<ListPositionAllocator>();
    for (const Vector& position : scenario.positions)
    {
        positions->Add(position);
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
    // The interface queue of the scenario is the MAC's; no second queue above it.
    TrafficControlHelper().Uninstall(devices);
    NeighborCacheHelper().PopulateNeighborCache();
    SetRoutes(nodes, interfaces, scenario);

    std::vector<Ptr<PacketSink>> sinks;
    uint16_t port = 5000;
    for (const Flow& flow : scenario.flows)
    {
        const InetSocketAddress target(interfaces.GetAddress(flow.to), ++port);
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(nodes.Get(flow.to)).Get(0)));
        BulkSendHelper source("ns3::TcpSocketFactory", target);
        source.SetAttribute("SendSize", UintegerValue(kSegment));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        source.Install(nodes.Get(flow.from)).Start(Seconds(flow.start));
    }

    Simulator::Stop(Seconds(std::stod(argv[2])));
    Simulator::Run();
    for (size_t index = 0; index < sinks.size(); ++index)
    {
        std::cout << "flow " << index << " " << sinks[index]->GetTotalRx() << "\n";
    }
    std::cout << "events " << Simulator::GetEventCount() << "\n";
    Simulator::Destroy();
    return 0;
}
