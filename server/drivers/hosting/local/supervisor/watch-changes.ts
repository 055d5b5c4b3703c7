import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { ControlClient } from '#server/drivers/hosting/local/supervisor/control-client.ts'
import { getControlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import { request } from '#server/drivers/hosting/gateway/socket-http.ts'

/** Pause in ms before checking again whether there are instances, and after a supervisor has ended. */
const pauseMs = 500
const maxLineLength = 10_000

/** Returns a stop function. Reports all instances after each connection, because changes may have been missed. */
export function watchChanges({
  client,
  folder,
  isEmpty,
  log,
  onChange,
  endSignal,
}: {
  client: ControlClient
  folder: string
  isEmpty: () => boolean
  log: Pick<Logger, 'warn'>
  onChange: (ref: InstanceRef) => void
  endSignal: AbortSignal
}): () => void {
  const stopController = new AbortController()
  const stopSignal = AbortSignal.any([stopController.signal, endSignal])

  async function follow(): Promise<void> {
    while (!stopSignal.aborted) {
      try {
        if (!isEmpty()) await listen()
      } catch (error) {
        if (!stopSignal.aborted)
          log.warn(
            { event: 'service_changes_unavailable', err: error },
            'the change stream of the service supervisor is not available; retrying',
          )
      }
      await wait(pauseMs, undefined, { signal: stopSignal, ref: false }).catch(() => undefined)
    }
  }

  async function listen(): Promise<void> {
    await client.ensure()
    await new Promise<void>((resolve, reject) => {
      const clientRequest = request(
        { socketPath: getControlSocket(folder), path: '/changes', agent: false, signal: stopSignal },
        (response) => {
          // The connection must not keep an ending process alive.
          response.socket.unref()
          let rest = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            try {
              rest = notifyLines(rest + chunk)
            } catch (error) {
              // An exception in an event listener would end the portal.
              reject(error)
              clientRequest.destroy()
            }
          })
          response.on('error', () => resolve())
          response.on('close', () => resolve())
          client
            .call('lookAll', [])
            .then(
              (all) => all.forEach(notify),
              () => undefined,
            )
            .catch(reject)
        },
      )
      clientRequest.on('error', reject)
      clientRequest.end()
    })
  }

  /** Notifies of each complete line and returns the incomplete rest. Throws for text that no supervisor sends. */
  function notifyLines(text: string): string {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    if (rest.length > maxLineLength) throw new Error(`a line is longer than ${maxLineLength} characters`)
    for (const line of lines) notify(JSON.parse(line) as InstanceRef)
    return rest
  }

  function notify({ code, serviceId }: InstanceRef): void {
    if (!stopSignal.aborted) onChange({ code, serviceId })
  }

  void follow()
  return () => stopController.abort()
}
