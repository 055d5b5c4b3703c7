/**
 * Progress and changes as the server tells them (D62), while a page looks: a websocket beside the polls, which go on. Where it is
 * cut or blocked nothing is missing, only slower.
 */
import { ports } from '#app/connection/api.ts'
import { applyProgress } from '#local/jobs/job-store.ts'
import { readCurrentSession } from '#request/session/current-session.ts'
import { notifyChanged } from '#state/live-changes.ts'

const socketPath = '/api/m18s/progress'
/** Never more than one attempt a second, and fewer while none succeeds. In ms. */
const retryMs = { min: 1_000, max: 30_000 }

/** A page that nobody uses asks for nothing by itself, or its session would never end. */
let isUsed = true
addEventListener('click', () => void (isUsed = true), true)

/** `onJobEnded`: one has ended, and its answer can be fetched now. Returns how to stop. */
export function openProgressSocket(onJobEnded: () => void): () => void {
  let socket: WebSocket | null = null
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false

  async function connect(): Promise<void> {
    const token = await ports.tokenAccess.read(null)
    if (isStopped) return
    // The polls renew the session; the socket only waits for it.
    if (token === null) return retry()
    const newSocket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${socketPath}`)
    socket = newSocket
    let hasReceived = false
    // Told at once that the account may have changed: nothing was heard before.
    newSocket.addEventListener('open', () => newSocket.send(JSON.stringify({ token, account: true })))
    newSocket.addEventListener('message', ({ data }) => {
      failures = 0
      hasReceived = true
      void handleMessage(String(data), onJobEnded).catch(ports.report)
    })
    newSocket.addEventListener('close', () => retry(hasReceived))
  }

  /** `hasReceived`: false where something in between lets no socket through, or the session's token has run out. */
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
