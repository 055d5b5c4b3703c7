import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { maxImageBytes } from '#domain/images.ts'
import { jpeg, padFile, png } from '#tests/support/uploads/pictures.ts'
import { waitForController, takeOwnCompany, setUpShared, createVisits } from '#tests/support/browser/browser-setup.ts'

const ground = setUpShared()
const { resume } = createVisits(ground)

const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text }).first().waitFor()
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const submit = (page: Page) => page.locator('main button[type="submit"]').click()
const readDrawnWidth = (page: Page, where: string) =>
  page.locator(where).evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : -1))

/** Creates a folder for files. Returns a function that writes these bytes to a file and selects it. */
function folder() {
  const path = mkdtempSync(join(tmpdir(), 'portal-pictures-'))
  ground.cleanups.push(async () => rmSync(path, { recursive: true, force: true }))
  return async (page: Page, name: string, bytes: Uint8Array) => {
    writeFileSync(join(path, name), bytes)
    await page.locator('input[type="file"]').setInputFiles(join(path, name))
  }
}

it('A user edits the profile offline with a picture, and it is sent after reconnecting (M43, M44)', async () => {
  const choose = folder()
  const { page, close } = await resume(takeOwnCompany().user, '/app/profile/user')
  await getButton(page, 'Edit profile').click()
  await expect.poll(() => new URL(page.url()).search).toBe('?edit=1')

  await choose(page, 'large.png', padFile(await png(), maxImageBytes))
  await page.getByText('Image must smaller than 2MB!').waitFor()
  await choose(page, 'none.png', Buffer.from('<svg/>'))
  await page.getByText('This file could not be read as a picture.').waitFor()

  await choose(page, 'me.jpg', await jpeg(800, 600))
  const area = page.getByRole('group', { name: 'Part of the picture' })
  await area.waitFor()
  const readLeft = () => page.locator('.crop-area img').evaluate((image) => parseFloat(image.style.left))
  const leftBefore = await readLeft()
  await area.focus()
  await page.keyboard.press('ArrowRight')
  expect(await readLeft()).toBeGreaterThan(leftBefore)
  await page.keyboard.press('+')
  expect(Number(await page.getByLabel('Enlarge').inputValue())).toBeGreaterThan(1)
  const box = await area.boundingBox()
  if (!box) throw new Error('the picture is not drawn')
  const draggedLeft = await readLeft()
  await page.mouse.move(box.x + 100, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x + 60, box.y + 100, { steps: 3 })
  await page.mouse.up()
  // The rendering follows pointer moves with a delay, unlike key presses.
  await expect.poll(readLeft).toBeLessThan(draggedLeft)
  await getButton(page, 'Use this part').click()
  await page.locator('.profile-picture .avatar img').waitFor()

  const name = page.getByLabel(/^Name/)
  await name.fill('')
  await submit(page)
  await page.getByText('Please input new name').waitFor()
  await name.fill('Victor Yeung Ka-fai')
  await waitForController(page)
  await page.context().setOffline(true)
  await submit(page)
  await toast(page, 'Saved on this device.')
  await page.locator('.profile .pending-mark').waitFor()
  await page.reload()
  await page.locator('.profile-name', { hasText: 'Victor Yeung Ka-fai' }).waitFor()
  await expect.poll(() => readDrawnWidth(page, '.profile-head .avatar img')).toBe(512)

  await page.context().setOffline(false)
  await page.locator('.profile .pending-mark').waitFor({ state: 'detached', timeout: 30_000 })
  await page.locator('header .avatar img[src^="/public/asset/"]').waitFor()
  await expect.poll(() => readDrawnWidth(page, 'header .avatar img')).toBe(512)
  expect(await page.locator('.bar-waiting').count()).toBe(0)

  // Clears the browser's own cache, so that the picture must come from the device's storage.
  await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache')
  await page.context().setOffline(true)
  await page.reload()
  await expect.poll(() => readDrawnWidth(page, 'header .avatar img')).toBe(512)
  await page.context().setOffline(false)

  await getButton(page, 'Edit profile').click()
  await getButton(page, 'Remove picture').click()
  await submit(page)
  await toast(page, 'Update successfully.')
  await page.locator('header .avatar img').waitFor({ state: 'detached' })

  // After the logout neither the picture nor its address is stored.
  const stored = () =>
    page.evaluate(async () => {
      const entries = await new Promise<unknown[]>((resolve) => {
        const openRequest = indexedDB.open('workbox-expiration')
        openRequest.onsuccess = () => {
          const all = openRequest.result.transaction('cache-entries').objectStore('cache-entries').getAll()
          all.onsuccess = () => resolve(all.result)
          openRequest.result.close()
        }
      })
      return (await caches.has('portal-media')) || entries.length > 0
    })
  expect(await stored()).toBe(true)
  await page.goto(`${new URL(page.url()).origin}/saas/logout`)
  await expect.poll(stored).toBe(false)
  await close()
})
