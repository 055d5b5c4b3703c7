/** Shows push messages, and opens the inbox when the user clicks one. */
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
}

const inboxPath = '/saas/app/activity'

/**
 * Shows the message if its recipient is signed in on this device. A message that was under way when the user signed out is not shown to the
 * next one.
 */
export async function showPush({ data }: PushEvent): Promise<void> {
  const content = parseContent(data)
  const session = await readActiveSession(await browserPorts.device())
  if (!content || !session || `${session.companyId}:${session.userId}` !== content.to) return
  const { id, title, body, unread } = content
  if ('setAppBadge' in navigator) await navigator.setAppBadge(unread).catch(() => undefined)
  // A repeated message replaces the earlier one.
  const icons = { icon: '/saas/icons/icon-192.png', badge: '/saas/icons/monochrome-512.png' }
  await self.registration.showNotification(title, { body, tag: `notification-${id}`, ...icons })
  const message: PageMessage = { type: 'notification' }
  for (const client of await self.clients.matchAll({ type: 'window' })) client.postMessage(message)
}

function parseContent(data: PushMessageData | null): PushContent | null {
  try {
    const { to, id, title, body, unread } = (data?.json() ?? {}) as Partial<PushContent>
    if (typeof to !== 'string' || typeof id !== 'number' || typeof title !== 'string') return null
    return { to, id, title, body: String(body), unread: Number(unread) || 0 }
  } catch {
    return null
  }
}

/** Focuses an open window of the app and shows the inbox there, or opens one. */
export async function openInbox({ notification }: NotificationEvent): Promise<void> {
  notification.close()
  const [client] = await self.clients.matchAll({ type: 'window' })
  if (!client) return void (await self.clients.openWindow(inboxPath))
  const message: PageMessage = { type: 'open inbox' }
  client.postMessage(message)
  await client.focus()
}

/** Called when the user signs out: nothing of the user stays visible. */
export async function closePushes(): Promise<void> {
  if ('clearAppBadge' in navigator) await navigator.clearAppBadge().catch(() => undefined)
  for (const notification of await self.registration.getNotifications()) notification.close()
}

/** Subscribes again if the browser has replaced the subscription. The next page of the user registers it with the server. */
export async function renewSubscription(event: Event): Promise<void> {
  const { oldSubscription } = event as Event & { oldSubscription?: PushSubscription }
  if (oldSubscription) await self.registration.pushManager.subscribe(oldSubscription.options).catch(() => undefined)
}
