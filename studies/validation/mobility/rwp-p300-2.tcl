# Made for this project: random waypoint: nodes 50, field 1500 x 300 m, speed uniform 1..20 m/s, pause 300 s, 300 s, warm-up cut 10000 s, seed 4002
$node_(0) set X_ 658.152
$node_(0) set Y_ 281.839
$node_(0) set Z_ 0.000
$node_(1) set X_ 1093.773
$node_(1) set Y_ 277.399
$node_(1) set Z_ 0.000
$node_(2) set X_ 832.313
$node_(2) set Y_ 155.795
$node_(2) set Z_ 0.000
$node_(3) set X_ 1326.772
$node_(3) set Y_ 158.031
$node_(3) set Z_ 0.000
$node_(4) set X_ 539.012
$node_(4) set Y_ 98.629
$node_(4) set Z_ 0.000
$node_(5) set X_ 400.913
$node_(5) set Y_ 161.021
$node_(5) set Z_ 0.000
$node_(6) set X_ 1174.237
$node_(6) set Y_ 242.583
$node_(6) set Z_ 0.000
$node_(7) set X_ 376.150
$node_(7) set Y_ 19.218
$node_(7) set Z_ 0.000
$node_(8) set X_ 1332.359
$node_(8) set Y_ 50.173
$node_(8) set Z_ 0.000
$node_(9) set X_ 1256.864
$node_(9) set Y_ 17.548
$node_(9) set Z_ 0.000
$node_(10) set X_ 305.830
$node_(10) set Y_ 61.083
$node_(10) set Z_ 0.000
$node_(11) set X_ 1178.120
$node_(11) set Y_ 137.812
$node_(11) set Z_ 0.000
$node_(12) set X_ 462.847
$node_(12) set Y_ 108.421
$node_(12) set Z_ 0.000
$node_(13) set X_ 837.555
$node_(13) set Y_ 238.506
$node_(13) set Z_ 0.000
$node_(14) set X_ 1109.074
$node_(14) set Y_ 201.248
$node_(14) set Z_ 0.000
$node_(15) set X_ 1115.567
$node_(15) set Y_ 96.287
$node_(15) set Z_ 0.000
$node_(16) set X_ 359.158
$node_(16) set Y_ 163.373
$node_(16) set Z_ 0.000
$node_(17) set X_ 60.575
$node_(17) set Y_ 268.487
$node_(17) set Z_ 0.000
$node_(18) set X_ 1.183
$node_(18) set Y_ 181.377
$node_(18) set Z_ 0.000
$node_(19) set X_ 251.238
$node_(19) set Y_ 209.937
$node_(19) set Z_ 0.000
$node_(20) set X_ 78.498
$node_(20) set Y_ 15.432
$node_(20) set Z_ 0.000
$node_(21) set X_ 388.140
$node_(21) set Y_ 259.988
$node_(21) set Z_ 0.000
$node_(22) set X_ 98.463
$node_(22) set Y_ 255.881
$node_(22) set Z_ 0.000
$node_(23) set X_ 680.868
$node_(23) set Y_ 103.084
$node_(23) set Z_ 0.000
$node_(24) set X_ 497.343
$node_(24) set Y_ 61.310
$node_(24) set Z_ 0.000
$node_(25) set X_ 1172.240
$node_(25) set Y_ 256.020
$node_(25) set Z_ 0.000
$node_(26) set X_ 1123.273
$node_(26) set Y_ 51.956
$node_(26) set Z_ 0.000
$node_(27) set X_ 747.074
$node_(27) set Y_ 275.764
$node_(27) set Z_ 0.000
$node_(28) set X_ 1436.072
$node_(28) set Y_ 31.910
$node_(28) set Z_ 0.000
$node_(29) set X_ 538.144
$node_(29) set Y_ 104.123
$node_(29) set Z_ 0.000
$node_(30) set X_ 677.954
$node_(30) set Y_ 62.911
$node_(30) set Z_ 0.000
$node_(31) set X_ 987.113
$node_(31) set Y_ 72.877
$node_(31) set Z_ 0.000
$node_(32) set X_ 1496.313
$node_(32) set Y_ 233.951
$node_(32) set Z_ 0.000
$node_(33) set X_ 1014.366
$node_(33) set Y_ 156.588
$node_(33) set Z_ 0.000
$node_(34) set X_ 476.625
$node_(34) set Y_ 129.587
$node_(34) set Z_ 0.000
$node_(35) set X_ 336.667
$node_(35) set Y_ 68.854
$node_(35) set Z_ 0.000
$node_(36) set X_ 639.798
$node_(36) set Y_ 23.227
$node_(36) set Z_ 0.000
$node_(37) set X_ 1397.322
$node_(37) set Y_ 65.784
$node_(37) set Z_ 0.000
$node_(38) set X_ 1416.455
$node_(38) set Y_ 226.585
$node_(38) set Z_ 0.000
$node_(39) set X_ 248.762
$node_(39) set Y_ 36.623
$node_(39) set Z_ 0.000
$node_(40) set X_ 727.298
$node_(40) set Y_ 35.552
$node_(40) set Z_ 0.000
$node_(41) set X_ 562.450
$node_(41) set Y_ 267.182
$node_(41) set Z_ 0.000
$node_(42) set X_ 804.155
$node_(42) set Y_ 83.538
$node_(42) set Z_ 0.000
$node_(43) set X_ 1065.669
$node_(43) set Y_ 237.648
$node_(43) set Z_ 0.000
$node_(44) set X_ 1141.813
$node_(44) set Y_ 193.138
$node_(44) set Z_ 0.000
$node_(45) set X_ 562.705
$node_(45) set Y_ 81.801
$node_(45) set Z_ 0.000
$node_(46) set X_ 1273.169
$node_(46) set Y_ 222.502
$node_(46) set Z_ 0.000
$node_(47) set X_ 418.051
$node_(47) set Y_ 102.504
$node_(47) set Z_ 0.000
$node_(48) set X_ 1122.434
$node_(48) set Y_ 299.464
$node_(48) set Z_ 0.000
$node_(49) set X_ 535.722
$node_(49) set Y_ 15.483
$node_(49) set Z_ 0.000
$ns_ at 0.000000 "$node_(14) setdest 1466.424 168.606 3.183432"
$ns_ at 0.000000 "$node_(16) setdest 22.586 229.342 1.143699"
$ns_ at 0.000000 "$node_(27) setdest 1063.911 273.892 3.496732"
$ns_ at 0.000000 "$node_(41) setdest 1101.831 248.963 2.002724"
$ns_ at 11.445652 "$node_(38) setdest 177.529 49.603 12.582829"
$ns_ at 18.031803 "$node_(23) setdest 1096.482 224.549 7.573220"
$ns_ at 18.886428 "$node_(15) setdest 811.111 71.375 8.856574"
$ns_ at 19.743064 "$node_(47) setdest 459.260 110.519 6.012482"
$ns_ at 21.267876 "$node_(8) setdest 373.520 1.277 7.321782"
$ns_ at 22.260663 "$node_(44) setdest 903.626 98.719 6.789134"
$ns_ at 23.826230 "$node_(32) setdest 1391.860 235.251 2.226119"
$ns_ at 28.879404 "$node_(30) setdest 307.487 289.530 5.254474"
$ns_ at 30.273035 "$node_(18) setdest 847.491 215.755 7.476487"
$ns_ at 34.840761 "$node_(39) setdest 269.232 250.986 15.701240"
$ns_ at 37.675376 "$node_(22) setdest 8.544 219.082 2.441564"
$ns_ at 39.100591 "$node_(36) setdest 58.795 124.326 8.809131"
$ns_ at 39.343096 "$node_(13) setdest 1442.945 228.106 10.752530"
$ns_ at 48.393846 "$node_(49) setdest 927.107 262.933 18.325525"
$ns_ at 53.582124 "$node_(45) setdest 750.905 24.137 19.178014"
$ns_ at 53.990417 "$node_(46) setdest 1473.325 229.308 15.868153"
$ns_ at 59.841862 "$node_(11) setdest 1040.678 76.811 17.316849"
$ns_ at 69.438515 "$node_(28) setdest 853.360 200.546 8.812307"
$ns_ at 71.577966 "$node_(9) setdest 1195.797 230.902 10.495456"
$ns_ at 72.213766 "$node_(17) setdest 405.560 206.600 8.568794"
$ns_ at 85.461480 "$node_(7) setdest 893.310 196.251 18.431941"
$ns_ at 86.176306 "$node_(34) setdest 1412.027 9.397 15.957079"
$ns_ at 110.777031 "$node_(42) setdest 505.879 50.120 14.061154"
$ns_ at 114.586957 "$node_(26) setdest 993.814 277.949 9.370047"
$ns_ at 131.544579 "$node_(31) setdest 1094.112 154.473 14.475358"
$ns_ at 133.670981 "$node_(33) setdest 1425.426 252.203 10.912877"
$ns_ at 150.966399 "$node_(48) setdest 645.888 228.159 9.798334"
$ns_ at 151.433616 "$node_(20) setdest 518.292 238.100 7.187891"
$ns_ at 162.968833 "$node_(10) setdest 679.886 93.324 4.259335"
$ns_ at 167.364048 "$node_(5) setdest 514.019 217.870 12.951279"
$ns_ at 168.241442 "$node_(29) setdest 986.096 88.610 1.804734"
$ns_ at 169.598638 "$node_(0) setdest 1260.507 96.337 3.146028"
$ns_ at 172.585856 "$node_(1) setdest 156.904 123.231 19.398050"
$ns_ at 172.946339 "$node_(4) setdest 423.727 169.338 17.260871"
$ns_ at 173.128281 "$node_(40) setdest 71.173 63.978 7.103558"
$ns_ at 176.439633 "$node_(21) setdest 1226.148 266.664 19.716630"
$ns_ at 176.765558 "$node_(3) setdest 254.842 18.751 17.383986"
$ns_ at 200.620032 "$node_(6) setdest 587.064 184.334 15.594378"
$ns_ at 237.710201 "$node_(19) setdest 867.789 253.912 6.353360"
$ns_ at 247.279535 "$node_(24) setdest 250.439 143.967 10.837783"
$ns_ at 251.303448 "$node_(43) setdest 856.205 63.347 16.502912"
$ns_ at 251.329140 "$node_(12) setdest 1431.889 264.115 2.917759"
$ns_ at 254.662198 "$node_(2) setdest 1013.380 224.873 17.753394"
$ns_ at 283.741915 "$node_(37) setdest 749.733 218.537 12.269800"
$ns_ at 289.796226 "$node_(25) setdest 934.766 208.810 19.491603"
$ns_ at 295.855251 "$node_(35) setdest 362.384 279.591 4.812716"
