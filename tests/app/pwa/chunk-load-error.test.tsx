/** Tests the case that code cannot be loaded although the server has the same build. Most likely the connection was lost for a moment. */
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

it('A chunk that cannot be loaded reloads the page once', async () => {
  await recoverFromLoadError()
  await recoverFromLoadError()
  expect(reload).toHaveBeenCalledTimes(1)
})

it('A chunk that cannot be loaded does not reload a page with form input (W-10)', async () => {
  const form = document.body.appendChild(document.createElement('form'))
  form.appendChild(document.createElement('input')).value = 'a password'
  await recoverFromLoadError()
  expect(reload).not.toHaveBeenCalled()
})
