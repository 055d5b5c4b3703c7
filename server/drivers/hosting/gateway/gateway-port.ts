/** Opens the port of a gateway. */
import type { AddressInfo } from 'node:net'
import { chooseFreePort, readRememberedPort, rememberPort } from '#server/drivers/hosting/gateway/free-port.ts'
import type { Server } from '#server/drivers/hosting/gateway/socket-http.ts'

const defaultRetryMs = 2000
const maxTries = 50

export interface PortOptions {
  /** Called when the gateway listens. */
  onListening?: () => void
  /** Called if the port is in use. The gateway tries again every `retryMs`; `tries` counts from 1. */
  onPortUnavailable?: (port: number, error: Error, tries: number) => void
  /** Time in ms, by default two seconds. */
  retryMs?: number
}

/** Listens on the port. Retries while another program uses it. Returns a function that stops the retries. */
export function listenWithRetries(
  server: Server,
  port: number,
  host: string,
  { onListening, onPortUnavailable, retryMs = defaultRetryMs }: PortOptions,
): () => void {
  let retryTimer: NodeJS.Timeout | undefined
  function tryPort(tries: number): void {
    listen(server, port, host, (error) => {
      if (!error) return onListening?.()
      onPortUnavailable?.(port, error, tries)
      retryTimer = setTimeout(() => tryPort(tries + 1), retryMs)
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

const tryListen = (server: Server, port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => listen(server, port, host, (error) => resolve(error === null)))

/** Leaves no listener behind, so that it can be repeated. */
function listen(server: Server, port: number, host: string, onResult: (error: Error | null) => void): void {
  const onError = (error: Error) => {
    server.off('listening', onListening)
    onResult(error)
  }
  const onListening = () => {
    server.off('error', onError)
    onResult(null)
  }
  server.once('error', onError)
  server.once('listening', onListening)
  server.listen(port, host)
}
