# PTX of Treadle on the machine that runs PTX.
