print("mfsctl")
