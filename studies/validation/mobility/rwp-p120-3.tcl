# Made for this project: random waypoint: nodes 50, field 1500 x 300 m, speed uniform 1..20 m/s, pause 120 s, 300 s, warm-up cut 10000 s, seed 2203
$node_(0) set X_ 739.742
$node_(0) set Y_ 239.425
$node_(0) set Z_ 0.000
$node_(1) set X_ 131.566
$node_(1) set Y_ 201.011
$node_(1) set Z_ 0.000
$node_(2) set X_ 1201.629
$node_(2) set Y_ 127.970
$node_(2) set Z_ 0.000
$node_(3) set X_ 1032.394
$node_(3) set Y_ 277.265
$node_(3) set Z_ 0.000
$node_(4) set X_ 171.830
$node_(4) set Y_ 67.162
$node_(4) set Z_ 0.000
$node_(5) set X_ 31.190
$node_(5) set Y_ 21.855
$node_(5) set Z_ 0.000
$node_(6) set X_ 170.777
$node_(6) set Y_ 26.322
$node_(6) set Z_ 0.000
$node_(7) set X_ 540.582
$node_(7) set Y_ 123.653
$node_(7) set Z_ 0.000
$node_(8) set X_ 1334.768
$node_(8) set Y_ 23.295
$node_(8) set Z_ 0.000
$node_(9) set X_ 970.081
$node_(9) set Y_ 85.140
$node_(9) set Z_ 0.000
$node_(10) set X_ 90.061
$node_(10) set Y_ 264.458
$node_(10) set Z_ 0.000
$node_(11) set X_ 378.218
$node_(11) set Y_ 71.161
$node_(11) set Z_ 0.000
$node_(12) set X_ 298.742
$node_(12) set Y_ 56.001
$node_(12) set Z_ 0.000
$node_(13) set X_ 911.187
$node_(13) set Y_ 94.694
$node_(13) set Z_ 0.000
$node_(14) set X_ 991.464
$node_(14) set Y_ 138.359
$node_(14) set Z_ 0.000
$node_(15) set X_ 99.634
$node_(15) set Y_ 262.161
$node_(15) set Z_ 0.000
$node_(16) set X_ 886.767
$node_(16) set Y_ 253.156
$node_(16) set Z_ 0.000
$node_(17) set X_ 1493.247
$node_(17) set Y_ 44.909
$node_(17) set Z_ 0.000
$node_(18) set X_ 984.482
$node_(18) set Y_ 102.546
$node_(18) set Z_ 0.000
$node_(19) set X_ 726.612
$node_(19) set Y_ 121.064
$node_(19) set Z_ 0.000
$node_(20) set X_ 1090.931
$node_(20) set Y_ 263.278
$node_(20) set Z_ 0.000
$node_(21) set X_ 1296.992
$node_(21) set Y_ 217.879
$node_(21) set Z_ 0.000
$node_(22) set X_ 687.540
$node_(22) set Y_ 65.795
$node_(22) set Z_ 0.000
$node_(23) set X_ 161.186
$node_(23) set Y_ 179.853
$node_(23) set Z_ 0.000
$node_(24) set X_ 1172.014
$node_(24) set Y_ 145.529
$node_(24) set Z_ 0.000
$node_(25) set X_ 411.436
$node_(25) set Y_ 246.388
$node_(25) set Z_ 0.000
$node_(26) set X_ 219.189
$node_(26) set Y_ 10.600
$node_(26) set Z_ 0.000
$node_(27) set X_ 255.620
$node_(27) set Y_ 54.904
$node_(27) set Z_ 0.000
$node_(28) set X_ 296.142
$node_(28) set Y_ 289.157
$node_(28) set Z_ 0.000
$node_(29) set X_ 1294.350
$node_(29) set Y_ 226.285
$node_(29) set Z_ 0.000
$node_(30) set X_ 260.853
$node_(30) set Y_ 218.851
$node_(30) set Z_ 0.000
$node_(31) set X_ 899.983
$node_(31) set Y_ 32.967
$node_(31) set Z_ 0.000
$node_(32) set X_ 499.768
$node_(32) set Y_ 147.808
$node_(32) set Z_ 0.000
$node_(33) set X_ 535.778
$node_(33) set Y_ 11.723
$node_(33) set Z_ 0.000
$node_(34) set X_ 72.352
$node_(34) set Y_ 111.022
$node_(34) set Z_ 0.000
$node_(35) set X_ 648.709
$node_(35) set Y_ 268.675
$node_(35) set Z_ 0.000
$node_(36) set X_ 577.158
$node_(36) set Y_ 121.357
$node_(36) set Z_ 0.000
$node_(37) set X_ 910.705
$node_(37) set Y_ 16.888
$node_(37) set Z_ 0.000
$node_(38) set X_ 253.455
$node_(38) set Y_ 153.988
$node_(38) set Z_ 0.000
$node_(39) set X_ 1029.463
$node_(39) set Y_ 177.075
$node_(39) set Z_ 0.000
$node_(40) set X_ 981.487
$node_(40) set Y_ 27.128
$node_(40) set Z_ 0.000
$node_(41) set X_ 431.333
$node_(41) set Y_ 133.669
$node_(41) set Z_ 0.000
$node_(42) set X_ 1088.719
$node_(42) set Y_ 243.394
$node_(42) set Z_ 0.000
$node_(43) set X_ 1030.080
$node_(43) set Y_ 188.525
$node_(43) set Z_ 0.000
$node_(44) set X_ 979.627
$node_(44) set Y_ 90.751
$node_(44) set Z_ 0.000
$node_(45) set X_ 703.009
$node_(45) set Y_ 253.726
$node_(45) set Z_ 0.000
$node_(46) set X_ 125.384
$node_(46) set Y_ 30.078
$node_(46) set Z_ 0.000
$node_(47) set X_ 343.561
$node_(47) set Y_ 26.224
$node_(47) set Z_ 0.000
$node_(48) set X_ 1126.213
$node_(48) set Y_ 29.488
$node_(48) set Z_ 0.000
$node_(49) set X_ 829.025
$node_(49) set Y_ 238.044
$node_(49) set Z_ 0.000
$ns_ at 0.000000 "$node_(0) setdest 1013.968 235.687 7.920456"
$ns_ at 0.000000 "$node_(1) setdest 88.379 208.494 8.461256"
$ns_ at 0.000000 "$node_(2) setdest 439.980 190.474 12.546805"
$ns_ at 0.000000 "$node_(4) setdest 231.569 22.921 5.213986"
$ns_ at 0.000000 "$node_(6) setdest 296.091 52.687 1.595742"
$ns_ at 0.000000 "$node_(9) setdest 2.359 69.484 17.122470"
$ns_ at 0.000000 "$node_(14) setdest 1362.772 32.996 2.862131"
$ns_ at 0.000000 "$node_(15) setdest 605.778 239.447 3.367632"
$ns_ at 0.000000 "$node_(19) setdest 1254.550 166.504 6.000752"
$ns_ at 0.000000 "$node_(20) setdest 1246.625 296.770 6.536362"
$ns_ at 0.000000 "$node_(23) setdest 1115.123 191.408 1.849405"
$ns_ at 0.000000 "$node_(24) setdest 826.896 231.626 2.841120"
$ns_ at 0.000000 "$node_(29) setdest 905.454 194.806 1.573156"
$ns_ at 0.000000 "$node_(30) setdest 1060.939 35.942 2.001832"
$ns_ at 0.000000 "$node_(32) setdest 29.223 238.654 1.077521"
$ns_ at 0.000000 "$node_(39) setdest 559.203 228.231 4.902514"
$ns_ at 0.000000 "$node_(41) setdest 1140.630 44.381 1.311016"
$ns_ at 0.000000 "$node_(42) setdest 223.828 252.452 1.087666"
$ns_ at 0.000000 "$node_(43) setdest 1165.336 203.492 1.796470"
$ns_ at 0.000000 "$node_(44) setdest 654.737 102.423 6.170557"
$ns_ at 0.000000 "$node_(45) setdest 712.533 253.019 8.017552"
$ns_ at 0.000000 "$node_(46) setdest 114.961 28.550 1.431567"
$ns_ at 0.000000 "$node_(49) setdest 956.048 158.924 1.128789"
$ns_ at 0.515542 "$node_(5) setdest 1449.984 298.788 4.935459"
$ns_ at 1.553449 "$node_(3) setdest 1323.882 272.880 11.140920"
$ns_ at 5.458787 "$node_(31) setdest 261.021 295.469 17.071837"
$ns_ at 23.360848 "$node_(17) setdest 441.233 290.241 6.732059"
$ns_ at 26.942550 "$node_(22) setdest 749.074 67.125 19.104789"
$ns_ at 29.650898 "$node_(38) setdest 879.844 212.065 6.995308"
$ns_ at 35.703573 "$node_(16) setdest 239.332 41.202 6.911853"
$ns_ at 38.588826 "$node_(11) setdest 918.616 58.471 19.684151"
$ns_ at 41.986068 "$node_(27) setdest 1225.272 226.228 18.339899"
$ns_ at 43.081307 "$node_(37) setdest 339.132 40.254 12.980979"
$ns_ at 44.769813 "$node_(10) setdest 89.027 177.066 14.913870"
$ns_ at 45.503096 "$node_(21) setdest 954.946 290.057 19.866693"
$ns_ at 52.196331 "$node_(33) setdest 226.395 133.424 4.874841"
$ns_ at 54.051823 "$node_(48) setdest 1272.556 128.506 17.016285"
$ns_ at 59.849892 "$node_(25) setdest 1073.030 149.594 4.603512"
$ns_ at 65.978166 "$node_(26) setdest 254.285 69.855 3.059440"
$ns_ at 71.170359 "$node_(7) setdest 1087.284 295.561 17.077880"
$ns_ at 76.639251 "$node_(47) setdest 1246.483 143.358 4.665050"
$ns_ at 82.643258 "$node_(12) setdest 383.248 84.181 8.022068"
$ns_ at 84.020357 "$node_(8) setdest 830.169 169.474 15.581142"
$ns_ at 88.844834 "$node_(13) setdest 10.245 47.221 6.629861"
$ns_ at 91.917558 "$node_(36) setdest 1213.843 162.581 16.926517"
$ns_ at 100.219228 "$node_(40) setdest 1310.027 218.193 1.413459"
$ns_ at 114.283467 "$node_(35) setdest 490.089 37.123 17.111976"
$ns_ at 114.883479 "$node_(28) setdest 555.766 104.580 9.370840"
$ns_ at 115.497106 "$node_(34) setdest 613.585 70.256 17.167451"
$ns_ at 117.125078 "$node_(18) setdest 1193.707 258.753 15.247015"
$ns_ at 121.191162 "$node_(45) setdest 905.715 98.156 7.876283"
$ns_ at 125.180140 "$node_(1) setdest 431.313 138.908 18.416499"
$ns_ at 127.358654 "$node_(46) setdest 948.615 83.265 9.609753"
$ns_ at 134.257262 "$node_(4) setdest 651.041 148.562 7.036043"
$ns_ at 144.364557 "$node_(20) setdest 53.297 47.575 9.810653"
$ns_ at 147.720137 "$node_(3) setdest 901.047 286.377 7.839256"
$ns_ at 150.164170 "$node_(22) setdest 391.250 229.336 1.800116"
$ns_ at 154.625718 "$node_(0) setdest 421.909 271.368 8.248288"
$ns_ at 165.922035 "$node_(31) setdest 1357.373 257.256 14.366806"
$ns_ at 170.630003 "$node_(10) setdest 1197.623 210.000 16.271272"
$ns_ at 172.685616 "$node_(44) setdest 193.297 260.835 17.874955"
$ns_ at 176.525059 "$node_(9) setdest 93.482 103.884 4.955636"
$ns_ at 180.908683 "$node_(2) setdest 721.682 157.360 3.906234"
$ns_ at 183.099306 "$node_(21) setdest 1053.624 211.119 6.059662"
$ns_ at 184.435652 "$node_(48) setdest 650.223 111.981 16.287147"
$ns_ at 186.049852 "$node_(11) setdest 44.870 154.181 10.432720"
$ns_ at 195.749431 "$node_(43) setdest 1437.439 264.238 2.420714"
$ns_ at 200.249473 "$node_(6) setdest 101.627 98.952 6.366286"
$ns_ at 207.149663 "$node_(37) setdest 841.387 213.113 8.556149"
$ns_ at 208.303919 "$node_(19) setdest 18.755 21.576 18.823196"
$ns_ at 208.488364 "$node_(26) setdest 916.863 62.464 12.620138"
$ns_ at 213.747718 "$node_(12) setdest 1056.784 115.731 18.807839"
$ns_ at 215.676166 "$node_(27) setdest 371.876 152.249 11.075673"
$ns_ at 216.488098 "$node_(39) setdest 1301.701 77.345 8.290707"
$ns_ at 224.727971 "$node_(7) setdest 524.900 210.067 13.609589"
$ns_ at 237.737143 "$node_(8) setdest 43.287 123.783 3.530355"
$ns_ at 239.579119 "$node_(38) setdest 1213.924 281.362 15.778190"
$ns_ at 240.395269 "$node_(33) setdest 367.699 106.528 16.191484"
$ns_ at 245.195442 "$node_(24) setdest 90.479 266.619 12.778619"
$ns_ at 249.610970 "$node_(36) setdest 371.953 0.252 6.130773"
$ns_ at 250.685533 "$node_(35) setdest 91.971 28.362 10.845900"
$ns_ at 252.574803 "$node_(49) setdest 1241.617 298.851 12.676433"
$ns_ at 254.250058 "$node_(18) setdest 227.200 248.288 8.329158"
$ns_ at 254.265614 "$node_(16) setdest 902.880 273.097 1.865696"
$ns_ at 254.853228 "$node_(14) setdest 1237.775 233.747 19.526890"
$ns_ at 264.180644 "$node_(1) setdest 585.833 261.188 12.136963"
$ns_ at 267.113104 "$node_(34) setdest 458.902 200.001 8.005590"
$ns_ at 268.877094 "$node_(28) setdest 1234.764 216.474 6.645907"
$ns_ at 270.447973 "$node_(15) setdest 514.954 225.150 10.529274"
$ns_ at 272.626304 "$node_(45) setdest 59.906 134.738 2.106249"
