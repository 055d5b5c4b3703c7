/** Opens the port of a gateway. */
import type { AddressInfo } from 'node:net'
import { chooseFreePort, readRememberedPort, rememberPort } from '#server/drivers/hosting/gateway/free-port.ts'
import type { Server } from '#server/drivers/hosting/gateway/socket-http.ts'

const retryMs = 2000
const maxTries = 50

export interface PortListeners {
  /** Called when the gateway listens. */
  onListening?: () => void
  /** Called if the port is in use. The gateway tries again every two seconds; `tries` counts from 1. */
  onPortUnavailable?: (port: number, error: Error, tries: number) => void
}

/** Listens on the port. Retries while another program uses it. Returns a function that stops the retries. */
export function listenWithRetries(
  server: Server,
  port: number,
  host: string,
  { onListening, onPortUnavailable }: PortListeners,
): () => void {
  let retryTimer: NodeJS.Timeout | undefined
  function tryPort(tries: number): void {
    server.once('error', (error) => {
      onPortUnavailable?.(port, error, tries)
      retryTimer = setTimeout(() => tryPort(tries + 1), retryMs)
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      onListening?.()
    })
  }
  tryPort(1)
  return () => clearTimeout(retryTimer)
}

/** Listens on the previous port of the folder, or on another free one. Returns the port. */
export async function listenOnFreePort(server: Server, folder: string, host: string): Promise<number> {
  const previousPort = readRememberedPort(folder)
  if (previousPort && (await tryListen(server, previousPort, host))) return previousPort
  for (let tries = 0; tries < maxTries; tries++) {
    const port = tries === maxTries - 1 ? 0 : chooseFreePort()
    if (!(await tryListen(server, port, host))) continue
    const boundPort = (server.address() as AddressInfo).port
    rememberPort(folder, boundPort)
    return boundPort
  }
  throw new Error('no free port was found')
}

function tryListen(server: Server, port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const onError = () => resolve(false)
    server.once('error', onError)
    server.listen(port, host, () => {
      server.off('error', onError)
      resolve(true)
    })
  })
}
