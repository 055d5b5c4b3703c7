/** Opens a websocket for progress and changes (D62) while the page is visible. Without it, progress is only shown later, by the polls. */
import { ports } from '#app/connection/api.ts'
import { applyProgress } from '#local/jobs/job-store.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { notifyChanged } from '#state/live-changes.ts'

const socketPath = '/api/m18s/progress'
/** Limits of the wait between two connection attempts, in ms. It doubles with each failed attempt. */
const retryMs = { min: 1_000, max: 30_000 }

/**
 * True if the user has clicked since the last attempt to connect. Otherwise a page must not send requests by itself, because its session
 * would never end.
 */
let isUsed = true
addEventListener('click', () => void (isUsed = true), true)

/** Calls `onJobEnded` when a job has ended and its result can be fetched. Returns a function that closes the socket. */
export function openProgressSocket(onJobEnded: () => void): () => void {
  let socket: WebSocket | null = null
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  async function connect(): Promise<void> {
    const token = await ports.tokenAccess.read(null)
    if (isStopped) return
    // The polls renew an expired token. Until then this only tries again.
    if (token === null) return retry()
    const newSocket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${socketPath}`)
    socket = newSocket
    let hasReceived = false
    // `account` makes the server report an account change immediately, because changes before the socket was opened were missed.
    newSocket.addEventListener('open', () => newSocket.send(JSON.stringify({ token, account: true })))
    newSocket.addEventListener('message', ({ data }) => {
      failures = 0
      hasReceived = true
      void handleMessage(String(data), onJobEnded).catch(ports.report)
    })
    newSocket.addEventListener('close', () => retry(hasReceived))
  }

  /** `hasReceived` is false if a proxy blocks sockets or the session's token has expired. */
  function retry(hasReceived = false): void {
    if (isStopped) return
    if (!hasReceived && isUsed) notifyChanged('account')
    isUsed = false
    const waitMs = Math.min(retryMs.max, retryMs.min * 2 ** failures)
    failures += 1
    timer = setTimeout(() => void connect().catch(ports.report), waitMs * (1 + ports.random()))
  }

  void connect().catch(ports.report)
  return () => {
    isStopped = true
    clearTimeout(timer)
    socket?.close()
  }
}

async function handleMessage(text: string, onJobEnded: () => void): Promise<void> {
  const { progressKey, data, changed } = JSON.parse(text) as {
    progressKey?: unknown
    data?: { status?: unknown; percent?: unknown }
    changed?: unknown
  }
  if (typeof changed === 'string') return notifyChanged(changed)
  const session = await readCurrentSession(ports)
  if (!session || typeof progressKey !== 'string' || typeof data?.percent !== 'number') return
  const isOver = data.status === 'success' || data.status === 'exception'
  await applyProgress(session.db, { progressKey, percent: data.percent, isOver }, ports.clock())
  if (isOver) onJobEnded()
}
