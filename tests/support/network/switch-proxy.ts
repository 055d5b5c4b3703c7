/** One address in front of several servers, like a load balancer: a function chooses the server of each request. */
import { once } from 'node:events'
import { Agent, createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SwitchProxy {
  url: string
  /** Sets the function that returns the port of the server for a path. */
  route(choosePort: (path: string) => number): void
  close(): Promise<void>
}

export async function openSwitchProxy(): Promise<SwitchProxy> {
  let choosePort: (path: string) => number = () => 0
  const agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    const { method, url = '/', headers } = request
    const forwarded = sendRequest(
      { agent, host: '127.0.0.1', port: choosePort(url), method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    route(choose) {
      choosePort = choose
    },
    async close() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
