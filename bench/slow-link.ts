/** A way to a server on which every request is late: whatever is sent arrives that much later, and the answer comes at once. */

import { createServer, connect, type AddressInfo, type Socket } from "node:net";

export interface SlowLink extends AsyncDisposable {
  readonly port: number;
}

export async function openSlowLink(toPort: number, lateMs: number): Promise<SlowLink> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(toPort, "127.0.0.1");
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    far.pipe(near);
    near.on("data", (bytes: Buffer) => void setTimeout(() => far.write(bytes), lateMs));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
