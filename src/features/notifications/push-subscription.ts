/** The push subscription of this browser. Permission is requested only after a click of the user. */
import { readPushSelection } from '#local/session/push-choice.ts'

/** `unsupported`: the browser has no push. `blocked`: the user has refused the permission in the browser. */
export type PushState = 'unsupported' | 'blocked' | 'off' | 'on'

const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

async function findRegistration(): Promise<ServiceWorkerRegistration | null> {
  return isSupported() ? ((await navigator.serviceWorker.getRegistration('/saas/')) ?? null) : null
}

/** Whether the signed-in user gets push messages in this browser. It is on only if the server knows of it in this session. */
export async function readPushState(): Promise<PushState> {
  const registration = await findRegistration()
  if (!registration) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return (await readPushSelection()) === 'registered' && (await registration.pushManager.getSubscription())
    ? 'on'
    : 'off'
}

export interface PushRegistration {
  endpoint: string
  p256dh: string
  auth: string
}

/**
 * Subscribes and returns what the server needs, or null if the user refuses or the browser fails. A subscription for another key of the
 * server is replaced, because it gets no messages.
 */
export async function subscribeToPush(publicKey: string): Promise<PushRegistration | null> {
  const registration = await findRegistration()
  if (!registration || (await Notification.requestPermission()) !== 'granted') return null
  const current = await registration.pushManager.getSubscription()
  if (current && !hasKey(current, publicKey)) await current.unsubscribe()
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch(() => null)
  const { endpoint, keys } = subscription?.toJSON() ?? {}
  if (!endpoint || !keys?.['p256dh'] || !keys['auth']) return null
  return { endpoint, p256dh: keys['p256dh'], auth: keys['auth'] }
}

function hasKey({ options: { applicationServerKey } }: PushSubscription, publicKey: string): boolean {
  const bytes = new Uint8Array(applicationServerKey ?? new ArrayBuffer())
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === publicKey
}

export async function endPushSubscription(): Promise<void> {
  await (await (await findRegistration())?.pushManager.getSubscription())?.unsubscribe()
}
