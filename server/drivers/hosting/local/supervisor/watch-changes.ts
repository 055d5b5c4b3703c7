/** Hears from the supervisor which instances changed, from one supervisor after the other. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { InstanceRef } from '#server/drivers/hosting/driver.ts'
import type { ControlClient } from '#server/drivers/hosting/local/supervisor/control-client.ts'
import { controlSocket } from '#server/drivers/hosting/local/run-folder.ts'
import { request } from '#server/drivers/hosting/local/socket-http.ts'

/** How often it is looked whether there is something to watch, and how long is waited after a supervisor has ended. */
const pauseMs = 500
const maxLine = 10_000

/** Answers how to stop. Whenever it begins to listen anew, all are told of: what changed in between was not heard. */
export function watchChanges({
  client,
  folder,
  isEmpty,
  log,
  changed,
  end,
}: {
  client: ControlClient
  folder: string
  isEmpty: () => boolean
  log: Pick<Logger, 'warn'>
  changed: (ref: InstanceRef) => void
  end: AbortSignal
}): () => void {
  const stopping = new AbortController()
  const over = AbortSignal.any([stopping.signal, end])

  async function follow(): Promise<void> {
    while (!over.aborted) {
      try {
        if (!isEmpty()) await listen()
      } catch (error) {
        if (!over.aborted) log.warn({ err: error }, 'changes of services are not heard')
      }
      await wait(pauseMs, undefined, { signal: over, ref: false }).catch(() => undefined)
    }
  }

  async function listen(): Promise<void> {
    await client.ensure()
    await new Promise<void>((done, failed) => {
      const asked = request(
        { socketPath: controlSocket(folder), path: '/changes', agent: false, signal: over },
        (response) => {
          // Nothing holds a process that is ending.
          response.socket.unref()
          let rest = ''
          response.setEncoding('utf8').on('data', (part: string) => {
            try {
              rest = tellLines(rest + part)
            } catch (error) {
              // Thrown in an event, it would end the portal.
              failed(error)
              asked.destroy()
            }
          })
          response.on('error', () => done())
          response.on('close', () => done())
          client
            .call('lookAll', [])
            .then(
              (all) => all.forEach(tell),
              () => undefined,
            )
            .catch(failed)
        },
      )
      asked.on('error', failed)
      asked.end()
    })
  }

  /** Returns what is not yet a line. Throws for lines that no supervisor of ours sends. */
  function tellLines(text: string): string {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    if (rest.length > maxLine) throw new Error(`a line is longer than ${maxLine}`)
    for (const line of lines) tell(JSON.parse(line) as InstanceRef)
    return rest
  }

  function tell({ code, serviceId }: InstanceRef): void {
    if (!over.aborted) changed({ code, serviceId })
  }

  void follow()
  return () => stopping.abort()
}
