# Made for this project: random waypoint: nodes 50, field 1500 x 300 m, speed uniform 1..20 m/s, pause 120 s, 300 s, warm-up cut 10000 s, seed 2201
$node_(0) set X_ 160.420
$node_(0) set Y_ 192.633
$node_(0) set Z_ 0.000
$node_(1) set X_ 1029.503
$node_(1) set Y_ 66.413
$node_(1) set Z_ 0.000
$node_(2) set X_ 1356.379
$node_(2) set Y_ 56.664
$node_(2) set Z_ 0.000
$node_(3) set X_ 724.637
$node_(3) set Y_ 57.468
$node_(3) set Z_ 0.000
$node_(4) set X_ 1232.658
$node_(4) set Y_ 97.696
$node_(4) set Z_ 0.000
$node_(5) set X_ 561.841
$node_(5) set Y_ 77.023
$node_(5) set Z_ 0.000
$node_(6) set X_ 47.456
$node_(6) set Y_ 139.658
$node_(6) set Z_ 0.000
$node_(7) set X_ 574.430
$node_(7) set Y_ 176.304
$node_(7) set Z_ 0.000
$node_(8) set X_ 768.793
$node_(8) set Y_ 109.001
$node_(8) set Z_ 0.000
$node_(9) set X_ 639.724
$node_(9) set Y_ 245.265
$node_(9) set Z_ 0.000
$node_(10) set X_ 210.959
$node_(10) set Y_ 247.302
$node_(10) set Z_ 0.000
$node_(11) set X_ 260.718
$node_(11) set Y_ 34.206
$node_(11) set Z_ 0.000
$node_(12) set X_ 1293.278
$node_(12) set Y_ 16.512
$node_(12) set Z_ 0.000
$node_(13) set X_ 1282.642
$node_(13) set Y_ 246.716
$node_(13) set Z_ 0.000
$node_(14) set X_ 1223.133
$node_(14) set Y_ 264.289
$node_(14) set Z_ 0.000
$node_(15) set X_ 150.320
$node_(15) set Y_ 168.104
$node_(15) set Z_ 0.000
$node_(16) set X_ 1204.588
$node_(16) set Y_ 144.962
$node_(16) set Z_ 0.000
$node_(17) set X_ 1418.440
$node_(17) set Y_ 5.541
$node_(17) set Z_ 0.000
$node_(18) set X_ 1246.167
$node_(18) set Y_ 118.438
$node_(18) set Z_ 0.000
$node_(19) set X_ 995.888
$node_(19) set Y_ 138.396
$node_(19) set Z_ 0.000
$node_(20) set X_ 158.327
$node_(20) set Y_ 146.956
$node_(20) set Z_ 0.000
$node_(21) set X_ 1111.514
$node_(21) set Y_ 97.099
$node_(21) set Z_ 0.000
$node_(22) set X_ 1176.125
$node_(22) set Y_ 224.912
$node_(22) set Z_ 0.000
$node_(23) set X_ 1198.883
$node_(23) set Y_ 107.704
$node_(23) set Z_ 0.000
$node_(24) set X_ 804.070
$node_(24) set Y_ 69.946
$node_(24) set Z_ 0.000
$node_(25) set X_ 404.038
$node_(25) set Y_ 271.714
$node_(25) set Z_ 0.000
$node_(26) set X_ 579.009
$node_(26) set Y_ 250.021
$node_(26) set Z_ 0.000
$node_(27) set X_ 1062.143
$node_(27) set Y_ 13.720
$node_(27) set Z_ 0.000
$node_(28) set X_ 190.059
$node_(28) set Y_ 280.529
$node_(28) set Z_ 0.000
$node_(29) set X_ 588.504
$node_(29) set Y_ 50.965
$node_(29) set Z_ 0.000
$node_(30) set X_ 420.720
$node_(30) set Y_ 92.023
$node_(30) set Z_ 0.000
$node_(31) set X_ 357.963
$node_(31) set Y_ 211.590
$node_(31) set Z_ 0.000
$node_(32) set X_ 1044.842
$node_(32) set Y_ 275.181
$node_(32) set Z_ 0.000
$node_(33) set X_ 1039.533
$node_(33) set Y_ 187.920
$node_(33) set Z_ 0.000
$node_(34) set X_ 233.260
$node_(34) set Y_ 254.059
$node_(34) set Z_ 0.000
$node_(35) set X_ 1117.566
$node_(35) set Y_ 162.139
$node_(35) set Z_ 0.000
$node_(36) set X_ 1415.864
$node_(36) set Y_ 210.317
$node_(36) set Z_ 0.000
$node_(37) set X_ 109.206
$node_(37) set Y_ 140.984
$node_(37) set Z_ 0.000
$node_(38) set X_ 1052.602
$node_(38) set Y_ 239.701
$node_(38) set Z_ 0.000
$node_(39) set X_ 665.209
$node_(39) set Y_ 178.875
$node_(39) set Z_ 0.000
$node_(40) set X_ 762.526
$node_(40) set Y_ 177.795
$node_(40) set Z_ 0.000
$node_(41) set X_ 1058.047
$node_(41) set Y_ 9.939
$node_(41) set Z_ 0.000
$node_(42) set X_ 1194.460
$node_(42) set Y_ 123.893
$node_(42) set Z_ 0.000
$node_(43) set X_ 462.894
$node_(43) set Y_ 194.433
$node_(43) set Z_ 0.000
$node_(44) set X_ 717.969
$node_(44) set Y_ 182.705
$node_(44) set Z_ 0.000
$node_(45) set X_ 567.907
$node_(45) set Y_ 107.075
$node_(45) set Z_ 0.000
$node_(46) set X_ 1218.480
$node_(46) set Y_ 29.342
$node_(46) set Z_ 0.000
$node_(47) set X_ 1174.353
$node_(47) set Y_ 94.850
$node_(47) set Z_ 0.000
$node_(48) set X_ 1307.742
$node_(48) set Y_ 0.825
$node_(48) set Z_ 0.000
$node_(49) set X_ 984.387
$node_(49) set Y_ 163.851
$node_(49) set Z_ 0.000
$ns_ at 0.000000 "$node_(1) setdest 247.608 156.008 1.090700"
$ns_ at 0.000000 "$node_(2) setdest 1058.102 164.295 3.146154"
$ns_ at 0.000000 "$node_(4) setdest 123.835 140.914 4.333313"
$ns_ at 0.000000 "$node_(5) setdest 331.029 58.111 3.242845"
$ns_ at 0.000000 "$node_(9) setdest 994.171 242.244 2.191998"
$ns_ at 0.000000 "$node_(11) setdest 166.209 20.122 12.399849"
$ns_ at 0.000000 "$node_(12) setdest 562.673 87.368 3.491723"
$ns_ at 0.000000 "$node_(14) setdest 196.287 168.617 17.711276"
$ns_ at 0.000000 "$node_(16) setdest 1150.398 121.315 1.800916"
$ns_ at 0.000000 "$node_(18) setdest 1370.725 127.759 2.240927"
$ns_ at 0.000000 "$node_(19) setdest 38.670 113.460 1.692865"
$ns_ at 0.000000 "$node_(21) setdest 608.803 105.821 19.596283"
$ns_ at 0.000000 "$node_(22) setdest 1342.696 205.063 13.148791"
$ns_ at 0.000000 "$node_(23) setdest 1309.200 103.638 2.130934"
$ns_ at 0.000000 "$node_(30) setdest 1036.204 57.264 1.635209"
$ns_ at 0.000000 "$node_(31) setdest 345.161 211.633 4.398244"
$ns_ at 0.000000 "$node_(32) setdest 954.675 272.048 5.011115"
$ns_ at 0.000000 "$node_(33) setdest 1325.857 227.080 3.801438"
$ns_ at 0.000000 "$node_(40) setdest 914.771 168.110 16.985278"
$ns_ at 0.000000 "$node_(42) setdest 965.240 5.610 2.541256"
$ns_ at 0.000000 "$node_(43) setdest 390.462 190.026 9.890903"
$ns_ at 0.000000 "$node_(44) setdest 976.498 131.795 17.365013"
$ns_ at 0.000000 "$node_(45) setdest 556.638 104.969 1.527937"
$ns_ at 0.000000 "$node_(49) setdest 1379.739 159.284 7.267979"
$ns_ at 4.087307 "$node_(3) setdest 402.911 127.736 11.132208"
$ns_ at 5.105692 "$node_(41) setdest 750.561 44.768 14.530214"
$ns_ at 6.928650 "$node_(36) setdest 421.232 268.244 1.224865"
$ns_ at 12.076959 "$node_(39) setdest 1364.488 219.938 6.635856"
$ns_ at 27.214111 "$node_(13) setdest 1305.714 146.956 4.982124"
$ns_ at 29.074748 "$node_(15) setdest 1126.727 230.507 16.508102"
$ns_ at 31.572372 "$node_(46) setdest 1086.621 276.417 19.472035"
$ns_ at 34.780822 "$node_(20) setdest 1399.749 201.781 4.987219"
$ns_ at 35.848442 "$node_(17) setdest 726.132 183.726 12.723535"
$ns_ at 48.545460 "$node_(10) setdest 697.953 128.944 5.525452"
$ns_ at 56.598298 "$node_(27) setdest 1441.107 24.037 7.738187"
$ns_ at 58.901501 "$node_(8) setdest 814.879 205.554 19.373349"
$ns_ at 60.799740 "$node_(47) setdest 486.483 213.691 10.651315"
$ns_ at 75.130097 "$node_(48) setdest 601.704 39.579 4.591268"
$ns_ at 84.471159 "$node_(29) setdest 835.015 252.552 1.977294"
$ns_ at 85.531525 "$node_(7) setdest 732.983 63.269 7.937065"
$ns_ at 87.868130 "$node_(26) setdest 238.007 252.643 8.219199"
$ns_ at 101.522124 "$node_(24) setdest 543.821 61.284 12.269564"
$ns_ at 102.265700 "$node_(28) setdest 412.748 287.345 1.126999"
$ns_ at 106.236452 "$node_(35) setdest 590.672 203.020 9.959410"
$ns_ at 106.839922 "$node_(38) setdest 19.063 207.768 10.206258"
$ns_ at 109.793879 "$node_(6) setdest 654.059 224.826 7.103803"
$ns_ at 111.801245 "$node_(34) setdest 1261.240 93.671 16.088404"
$ns_ at 113.084169 "$node_(25) setdest 57.767 272.524 9.945683"
$ns_ at 118.133279 "$node_(37) setdest 1064.870 191.295 14.948946"
$ns_ at 119.046141 "$node_(0) setdest 702.534 131.652 17.957833"
$ns_ at 122.910724 "$node_(31) setdest 319.324 118.601 1.585896"
$ns_ at 127.336635 "$node_(43) setdest 276.890 297.711 15.433378"
$ns_ at 127.502993 "$node_(45) setdest 1017.001 262.725 18.588930"
$ns_ at 127.705953 "$node_(11) setdest 981.568 82.982 18.830550"
$ns_ at 128.981469 "$node_(40) setdest 1086.560 173.323 6.670051"
$ns_ at 132.757786 "$node_(22) setdest 844.304 13.082 11.912574"
$ns_ at 135.173842 "$node_(44) setdest 337.219 222.561 9.361725"
$ns_ at 138.004259 "$node_(32) setdest 1076.829 5.143 4.636797"
$ns_ at 145.657246 "$node_(21) setdest 1091.196 145.995 5.603381"
$ns_ at 146.402850 "$node_(41) setdest 584.403 296.546 14.212264"
$ns_ at 152.830379 "$node_(16) setdest 1000.911 83.146 6.710374"
$ns_ at 153.669058 "$node_(3) setdest 702.113 177.536 1.620103"
$ns_ at 165.954981 "$node_(46) setdest 401.794 24.369 11.522659"
$ns_ at 167.766236 "$node_(13) setdest 1156.847 199.876 12.662698"
$ns_ at 171.804470 "$node_(23) setdest 1243.111 29.495 17.984618"
$ns_ at 174.400044 "$node_(49) setdest 1460.474 240.460 7.278635"
$ns_ at 175.738661 "$node_(18) setdest 1002.203 214.181 9.512902"
$ns_ at 178.228062 "$node_(14) setdest 99.884 177.105 1.455368"
$ns_ at 184.423925 "$node_(8) setdest 982.357 184.874 7.386359"
$ns_ at 191.414298 "$node_(5) setdest 788.548 253.244 9.344654"
$ns_ at 196.021104 "$node_(33) setdest 1477.623 188.912 5.010970"
$ns_ at 208.342560 "$node_(15) setdest 675.939 298.114 3.740419"
$ns_ at 212.033362 "$node_(17) setdest 1131.109 49.652 8.902101"
$ns_ at 220.790323 "$node_(2) setdest 780.778 118.333 15.664275"
$ns_ at 221.500710 "$node_(42) setdest 399.206 45.817 2.302496"
$ns_ at 225.589672 "$node_(27) setdest 1433.427 142.332 13.634731"
$ns_ at 230.064551 "$node_(7) setdest 167.048 285.295 16.666051"
$ns_ at 237.637359 "$node_(39) setdest 475.187 80.556 15.666364"
$ns_ at 242.744811 "$node_(24) setdest 218.422 31.046 11.660318"
$ns_ at 246.337225 "$node_(47) setdest 764.409 29.379 2.347373"
$ns_ at 249.357828 "$node_(26) setdest 1346.671 293.432 14.776500"
$ns_ at 257.477493 "$node_(43) setdest 608.613 77.358 5.274177"
$ns_ at 259.247615 "$node_(10) setdest 555.895 17.042 8.903811"
$ns_ at 267.900475 "$node_(25) setdest 240.381 63.012 11.888067"
$ns_ at 269.424696 "$node_(0) setdest 815.896 121.062 5.980032"
$ns_ at 273.682156 "$node_(45) setdest 468.127 226.840 8.702709"
$ns_ at 274.748600 "$node_(40) setdest 183.587 139.294 17.688252"
$ns_ at 279.299592 "$node_(35) setdest 421.816 37.665 5.030429"
$ns_ at 281.706294 "$node_(9) setdest 1450.575 153.377 8.366728"
$ns_ at 287.628400 "$node_(41) setdest 395.928 118.881 15.406914"
$ns_ at 291.134239 "$node_(11) setdest 160.892 69.224 1.152915"
$ns_ at 295.822089 "$node_(16) setdest 1247.588 118.537 6.841267"
$ns_ at 296.469986 "$node_(34) setdest 316.546 120.894 17.099253"
$ns_ at 297.327101 "$node_(23) setdest 709.087 109.428 18.649638"
$ns_ at 297.591859 "$node_(22) setdest 633.687 64.364 6.982114"
