/**
 * Closes push messages that are not for this recipient (`{company}:{user}`, or '' if nobody is signed in). The page does it, because at a
 * sign-out no worker may control it.
 */
export async function closeOtherPushes(recipient: string): Promise<void> {
  const registration = 'serviceWorker' in navigator ? await navigator.serviceWorker.getRegistration('/saas/') : null
  const notifications = (await registration?.getNotifications()) ?? []
  const others = notifications.filter(({ data }) => (data as { to?: unknown } | null)?.to !== recipient)
  for (const notification of others) notification.close()
  if ((others.length > 0 || recipient === '') && 'clearAppBadge' in navigator) await navigator.clearAppBadge()
}
