/** Sends JSON requests with ids over a WebSocket and matches their responses, as BiDi and WebKit's inspector require. */

type SocketMessage = {
  id?: number
  method?: string
  params?: unknown
  result?: unknown
  error?: unknown
  message?: string
}

export interface MessageSocket {
  send<T>(method: string, params?: object): Promise<T>
  close(): void
}

const openMs = 10_000

/** Opens a connection. `onEvent` receives messages that are not responses. */
export async function openSocket(
  url: string,
  onEvent: (method: string, params: never) => void = () => undefined,
): Promise<MessageSocket> {
  const socket = new WebSocket(url)
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no connection to ${url}`)), openMs)
    socket.onopen = () => {
      clearTimeout(timer)
      resolve()
    }
    socket.onerror = () => {
      clearTimeout(timer)
      reject(new Error(`no connection to ${url}`))
    }
  })
  const pending = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void; name: string }>()
  let lastId = 0
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as SocketMessage
    const request = message.id === undefined ? undefined : pending.get(message.id)
    if (!request || message.id === undefined) return onEvent(message.method ?? '', message.params as never)
    pending.delete(message.id)
    if (message.error)
      request.reject(new Error(`${request.name}: ${JSON.stringify(message.error)} ${message.message ?? ''}`))
    else request.resolve(message.result as never)
  }
  socket.onclose = () => {
    for (const { reject } of pending.values()) reject(new Error('the browser has closed the connection'))
    pending.clear()
  }
  return {
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) return reject(new Error('the browser has closed the connection'))
        const id = ++lastId
        pending.set(id, { resolve, reject, name: `${method} ${JSON.stringify(params).slice(0, 200)}` })
        socket.send(JSON.stringify({ id, method, params }))
      }),
    close: () => socket.close(),
  }
}
