/** Code that could not be fetched, with the build that the server has too: most likely a line that was lost for a moment. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildInfoPath } from '#contract/client-build.ts'
import { recoverFromLoadError } from '#app/pwa/chunk-load-error.ts'

const reload = vi.fn()
beforeEach(() => {
  sessionStorage.clear()
  vi.spyOn(location, 'reload').mockImplementation(reload)
  vi.stubGlobal('fetch', async (path: string) => {
    expect(path).toBe(buildInfoPath)
    return Response.json({ build: 'test', minimumBuild: '', bypass: false })
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  reload.mockReset()
  document.body.replaceChildren()
})

it('loads the page again, once', async () => {
  await recoverFromLoadError()
  await recoverFromLoadError()
  expect(reload).toHaveBeenCalledTimes(1)
})

it('loses nothing that stands in a form (W-10)', async () => {
  const form = document.body.appendChild(document.createElement('form'))
  form.appendChild(document.createElement('input')).value = 'a password'
  await recoverFromLoadError()
  expect(reload).not.toHaveBeenCalled()
})
