/**
 * Saves the audit trail on the device and proves a change without a connection. A command that does not contact the portal verifies the
 * exported proof.
 */
import { execFile } from 'node:child_process'
import { deepEqual, match } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '#tests/campaigns/browsers/engine.ts'
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { waitForCachedPart } from '#tests/campaigns/browsers/page-user.ts'
import { people } from '#tests/support/browser/browser.ts'

declare global {
  interface Window {
    exportedText?: string
  }
}

const run = promisify(execFile)

/** Keeps the text of the next file that the page exports, because the drivers give no access to downloads. Runs in the page. */
function keepExportedText(): void {
  const createUrl = URL.createObjectURL.bind(URL)
  URL.createObjectURL = (blob) => {
    if (blob instanceof Blob) void blob.text().then((text) => (window.exportedText = text))
    return createUrl(blob)
  }
}

export const proveTrail: Journey = async (user, { proxy, portal }) => {
  const newName = 'Andrew of Kowloon'
  await user.logIn(people.admin)
  await user.openCachedUsers()
  await user.renameUser('andrew', newName)
  await user.seeText(newName, 'main tbody')
  await user.waitUntilSent()
  await user.open('/app/systrail')
  await user.see('main tbody tr')
  await waitForCachedPart(user.browser, 'trail')
  await user.click({ role: 'button', name: '^Save on this device$' })
  await user.click({ css: '[role="dialog"] button', name: '^Save$' })
  await user.seeText('Saved on this device', 'main')
  proxy.cut()
  await user.reload()
  await user.see('main tbody tr')
  await user.waitUntilOffline()
  await user.fill('.filters input', 'of kowloon')
  const isOnlyRow = () => document.querySelectorAll('main tbody tr:not(.waiting)').length === 1
  await waitFor(user.browser, 'one entry is found', isOnlyRow, [])
  await user.click('main tbody tr td:nth-child(2)')
  await user.seeText('Proven', '[role="dialog"]')
  const [change = ''] = await user.readTexts('[role="dialog"] .trail-changes tbody tr')
  match(change, new RegExp(`^Name .+ ${newName}$`))

  await user.browser.run(keepExportedText)
  await user.click({ role: 'button', name: '^Export proof$' })
  await waitFor(user.browser, 'the proof is exported', () => window.exportedText !== undefined, [])
  const file = join(portal.dataDir, 'proof.json')
  await writeFile(file, await user.browser.run(() => window.exportedText ?? ''))
  const verify = (...args: string[]) => run(process.execPath, ['server/cli/verify-proof.ts', file, ...args])
  const unchecked = await verify().catch((error: { code: number; stdout: string; stderr: string }) => error)
  const [, key = ''] = /^Key: +(\S+)$/m.exec(`${unchecked.stdout}${unchecked.stderr}`) ?? []
  const { stdout } = await verify('--key', key)
  deepEqual(stdout.startsWith('PROVEN'), true)
}
