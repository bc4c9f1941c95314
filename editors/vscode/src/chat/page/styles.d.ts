// Style sheets that the build takes along.

declare module "*.css";
