/** Shows push messages, and opens the page of the matter when the user clicks one. */
import { browserPorts } from '#request/transport/browser-ports.ts'
import { readActiveSession } from '#local/session/session.ts'
import type { PageMessage } from '#request/ports.ts'

declare const self: ServiceWorkerGlobalScope

/** Content of a message, as the server encrypts it for this browser. */
interface PushContent {
  /** `{company}:{user}` of the recipient. */
  to: string
  id: number
  title: string
  body: string
  unread: number
  /** Path of the route that a click opens. */
  path: string
}

const inboxPath = '/app/activity'
const homePath = '/app/home'

/**
 * Shows the message if its recipient is signed in on this device. A message that was under way when the user signed out is not shown to the
 * next one.
 */
export async function showPush({ data }: PushEvent): Promise<void> {
  const content = parseContent(data)
  if (!content || !(await isSignedIn(content.to))) return
  const { to, id, title, body, unread, path } = content
  if ('setAppBadge' in navigator) await navigator.setAppBadge(unread).catch(() => undefined)
  // A repeated message replaces the earlier one.
  const icons = { icon: '/saas/icons/icon-192.png', badge: '/saas/icons/monochrome-512.png' }
  const tag = `notification-${id}`
  await self.registration.showNotification(title, { body, tag, data: { to, path }, ...icons })
  // The user may have signed out while it was shown.
  if (!(await isSignedIn(to))) return await closePushes({ tag })
  const message: PageMessage = { type: 'notification' }
  for (const client of await self.clients.matchAll({ type: 'window' })) client.postMessage(message)
}

async function isSignedIn(recipient: string): Promise<boolean> {
  const session = await readActiveSession(await browserPorts.device())
  return session !== null && `${session.companyId}:${session.userId}` === recipient
}

function parseContent(data: PushMessageData | null): PushContent | null {
  try {
    const content = (data?.json() ?? {}) as Partial<PushContent & { isListed: boolean }>
    const { to, id, title, body, unread, path, isListed } = content
    if (typeof to !== 'string' || typeof id !== 'number' || typeof title !== 'string') return null
    // A message that is not in the inbox has its text only.
    const usualPath = isListed === false ? homePath : inboxPath
    const ownPath = typeof path === 'string' && path.startsWith('/app/') ? path : usualPath
    return { to, id, title, body: String(body), unread: Number(unread) || 0, path: ownPath }
  } catch {
    return null
  }
}

/** Opens the page of the message in an open window of the app, and focuses it. Without a window that responds, it opens one. */
export async function openPush({ notification }: NotificationEvent): Promise<void> {
  notification.close()
  const { path = inboxPath } = (notification.data ?? {}) as Partial<PushContent>
  for (const client of await self.clients.matchAll({ type: 'window' }))
    if (new URL(client.url).pathname.startsWith('/saas/app/') && (await opensPage(client, path)))
      return void (await client.focus().catch(() => undefined))
  await self.clients.openWindow(`/saas${path}`)
}

/** A page that runs responds well within this time (ms). The browser lets a click open a window for some seconds. */
const responseMs = 1_000

/** A page that is frozen, or that has no signed-in user, does not respond. */
function opensPage(client: Client, path: string): Promise<boolean> {
  const { port1: port, port2: clientPort } = new MessageChannel()
  const message: PageMessage = { type: 'open page', path }
  return new Promise<boolean>((resolve) => {
    port.onmessage = () => resolve(true)
    setTimeout(() => resolve(false), responseMs)
    client.postMessage(message, [clientPort])
  }).finally(() => port.close())
}

/** Without a tag, called when the user signs out: nothing of the user stays visible. */
export async function closePushes(filter: { tag?: string } = {}): Promise<void> {
  if ('clearAppBadge' in navigator) await navigator.clearAppBadge().catch(() => undefined)
  for (const notification of await self.registration.getNotifications(filter)) notification.close()
}

/** Subscribes again if the browser has replaced the subscription. The next page of the user registers it with the server. */
export async function renewSubscription(event: Event): Promise<void> {
  const { oldSubscription } = event as Event & { oldSubscription?: PushSubscription }
  if (oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options).catch(() => undefined)
}
