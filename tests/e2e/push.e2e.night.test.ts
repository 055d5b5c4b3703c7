/** Tests push messages in the service worker: shown to their recipient only, and removed when the user signs out. */
import { expect, it } from 'vitest'
import { openFreshPage, setUpShared, waitForController } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

it('A push message is shown to its recipient only, once, and removed when the user signs out', async () => {
  const page = await openFreshPage(setup, 'staff', '/app/home', { permissions: ['notifications'] })
  await waitForController(page)
  const origin = new URL(setup.fixture.portal.url).origin
  const { id, company_id: companyId } = await page.evaluate(async () => (await fetch('/api/m18s/user')).json())
  const session = await page.context().newCDPSession(page)
  const registrationId = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration) resolve(registration.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const push = async (content: object | string) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId: await registrationId,
      data: typeof content === 'string' ? content : JSON.stringify(content),
    })
  const readShown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications()).map(({ title, tag }) => `${title} ${tag}`)
    })
  /**
   * Pushes a message and waits until the worker reports it. Only then are the shown ones read: a read deletes what the browser has recorded
   * but not displayed yet.
   */
  async function pushAndWait(content: object) {
    await page.evaluate(() => {
      const displayed = new Promise<void>((resolve) =>
        navigator.serviceWorker.addEventListener('message', ({ data }) => data.type === 'notification' && resolve()),
      )
      Object.assign(globalThis, { displayed })
    })
    await push(content)
    await page.evaluate(() => (globalThis as unknown as { displayed: Promise<void> }).displayed)
  }
  await push('not json')
  await push({ to: `${companyId}:${Number(id) + 1}`, id: 1, title: 'For somebody else', body: '', unread: 1 })
  const own = {
    to: `${companyId}:${id}`,
    id: 2,
    title: 'Service down: acmehr',
    body: '',
    unread: 1,
    path: '/app/profile/sessions',
  }
  await pushAndWait(own)
  await expect.poll(readShown).toEqual(['Service down: acmehr notification-2'])
  // Replaces the first one, so all messages have been handled when it is visible.
  await pushAndWait({ ...own, title: 'Service down: acmehr again' })
  await expect.poll(readShown).toEqual(['Service down: acmehr again notification-2'])
  const [worker] = page.context().serviceWorkers()
  await worker?.evaluate(async () => {
    const scope = globalThis as unknown as EventTarget & { registration: ServiceWorkerRegistration }
    const [notification] = await scope.registration.getNotifications()
    // Only an event of the browser itself has waitUntil.
    const event = Object.assign(new Event('notificationclick'), { notification, waitUntil: () => undefined })
    scope.dispatchEvent(event)
  })
  await page.waitForURL('**/app/profile/sessions')
  await pushAndWait({ ...own, id: 3 })
  await expect.poll(readShown).toEqual(['Service down: acmehr notification-3'])
  await page.evaluate(() => navigator.serviceWorker.controller?.postMessage({ type: 'forget' }))
  await expect.poll(readShown).toEqual([])
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready
    await registration.showNotification('For an earlier user', { data: { to: 'acme:1' } })
  })
  await page.reload()
  await expect.poll(readShown).toEqual([])
})
