/**
 * Chooses a profile picture without a connection. It waits on the device, also after a reload, and reaches the server complete. WebKit has
 * sent files of stored requests empty.
 */
import { equal } from 'node:assert/strict'
import { waitFor } from '#tests/campaigns/browsers/engine.ts'
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { call, openAccount } from '#tests/campaigns/browsers/journeys/server-content.ts'
import { people } from '#tests/support/browser/browser.ts'

const headPicture = 'header .avatar img'
/** Width of a stored picture in pixels. */
const storedWidth = 512

/** Selects a file in the page, because not every driver can do it. Runs in the page. */
async function chooseDrawnFile(): Promise<void> {
  const canvas = document.createElement('canvas')
  ;[canvas.width, canvas.height] = [800, 600]
  const context = canvas.getContext('2d')
  context?.fillRect(200, 150, 400, 300)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!blob || !input) throw new Error('no picture or no field for it')
  const transfer = new DataTransfer()
  transfer.items.add(new File([blob], 'me.png', { type: 'image/png' }))
  input.files = transfer.files
  input.dispatchEvent(new Event('change', { bubbles: true }))
}

export const sendPicture: Journey = async (user, { proxy, portal }) => {
  const isDrawn = (selector: string, width: number) =>
    document.querySelector<HTMLImageElement>(selector)?.naturalWidth === width
  await user.logIn(people.user)
  await user.open('/app/profile/user')
  await user.click({ role: 'button', name: '^Edit profile$' })
  await user.see('.profile-picture button')
  proxy.cut()
  await user.waitUntilOffline()
  await user.browser.run(chooseDrawnFile)
  await user.click({ role: 'button', name: '^Use this part$' })
  await user.see('.profile-picture .avatar img')
  await user.click('main button[type="submit"]')
  await user.see('.profile .pending-mark')
  await user.reload()
  await user.see('.profile .pending-mark')
  await waitFor(user.browser, 'the waiting picture is shown', isDrawn, ['.profile-head .avatar img', storedWidth])
  proxy.clearFaults()
  await user.seeNone('.profile .pending-mark')
  await user.see(`${headPicture}[src^="/public/asset/"]`)
  const account = await openAccount(portal, people.user)
  const { avatar } = await call<{ avatar: string }>(account, '/api/m18s/user')
  const response = await fetch(`${portal.url}/public/asset/${avatar}`)
  equal(response.status, 200)
  equal((await response.arrayBuffer()).byteLength > 0, true)
  await user.reload()
  await waitFor(user.browser, 'the stored picture is shown', isDrawn, [headPicture, storedWidth])
}
