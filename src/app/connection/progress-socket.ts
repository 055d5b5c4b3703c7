/**
 * Progress and changes as the server tells them (D62), while a page looks: a websocket beside the polls, which go on. Where it is
 * cut or blocked nothing is missing, only slower.
 */
import { ports } from '#app/connection/api.ts'
import { applyProgress } from '#local/jobs/job-store.ts'
import { currentSession } from '#request/session/current-session.ts'
import { tellChanged } from '#state/live-changes.ts'

const path = '/api/m18s/progress'
/** Never more than one attempt a second, and fewer while none succeeds. In ms. */
const again = { least: 1_000, most: 30_000 }

/** A page that nobody uses asks for nothing by itself, or its session would never end. */
let isUsed = true
addEventListener('click', () => void (isUsed = true), true)

/** `over`: one has ended, and its answer can be fetched now. Returns how to stop. */
export function listenToServer(over: () => void): () => void {
  let socket: WebSocket | null = null
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  async function connect(): Promise<void> {
    const token = await ports.access.read(null)
    if (stopped) return
    // The polls renew the session; the socket only waits for it.
    if (token === null) return retry()
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`)
    socket = opened
    let hasHeard = false
    // Told at once that the account may have changed: nothing was heard before.
    opened.addEventListener('open', () => opened.send(JSON.stringify({ token, account: true })))
    opened.addEventListener('message', ({ data }) => {
      failures = 0
      hasHeard = true
      void take(String(data), over).catch(ports.report)
    })
    opened.addEventListener('close', () => retry(hasHeard))
  }

  /** `hasHeard`: false where something in between lets no socket through, or the session's token has run out. */
  function retry(hasHeard = false): void {
    if (stopped) return
    if (!hasHeard && isUsed) tellChanged('account')
    isUsed = false
    const wait = Math.min(again.most, again.least * 2 ** failures)
    failures += 1
    timer = setTimeout(() => void connect().catch(ports.report), wait * (1 + ports.chance()))
  }

  void connect().catch(ports.report)
  return () => {
    stopped = true
    clearTimeout(timer)
    socket?.close()
  }
}

async function take(text: string, over: () => void): Promise<void> {
  const { progressKey, data, changed } = JSON.parse(text) as {
    progressKey?: unknown
    data?: { status?: unknown; percent?: unknown }
    changed?: unknown
  }
  if (typeof changed === 'string') return tellChanged(changed)
  const desk = await currentSession(ports)
  if (!desk || typeof progressKey !== 'string' || typeof data?.percent !== 'number') return
  const isOver = data.status === 'success' || data.status === 'exception'
  await applyProgress(desk.db, { progressKey, percent: data.percent, isOver }, ports.clock())
  if (isOver) over()
}
