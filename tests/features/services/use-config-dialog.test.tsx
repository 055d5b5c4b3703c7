import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadPageMessages } from '#app/i18n/page-messages.ts'
import type { ServiceRow } from '#contract/services.ts'
import '#features/services/translations.ts'
import { ConfigDialog } from '#features/services/operations/ConfigDialog.tsx'
import { deviceFullChanged, networkStateChanged, sessionExpiredChanged } from '#state/connection-slice.ts'
import { readDescription } from '#tests/support/pages/fields.ts'
import { buildRefusal, createCallRecorder } from '#tests/features/call-recorder.tsx'

const row = { id: 3, code: 'shop1', task_runtime_memory: 1000, task_desire_count: 1 } as ServiceRow
const failureTitle = 'The configuration could not be changed.'

async function openDialog() {
  const server = createCallRecorder()
  render(<ConfigDialog row={row} onClose={() => {}} onDone={() => {}} />, { wrapper: server.wrapper })
  const dialog = await screen.findByRole('dialog')
  const saveButton = screen.getByRole('button', { name: 'Change configuration' })
  return { ...server, dialog, saveButton }
}

beforeEach(() => loadPageMessages('problem'))
afterEach(cleanup)

it('<ConfigDialog> shows that the configuration could not be changed when the server refuses it', async () => {
  const { dialog, saveButton, respond } = await openDialog()
  await userEvent.setup().click(saveButton)
  await respond(buildRefusal('BUSY'))
  expect(dialog.textContent).toContain(failureTitle)
})

it('<ConfigDialog> shows only the reason while saving is blocked', async () => {
  const { dialog, saveButton, store } = await openDialog()
  act(() => void store.dispatch(sessionExpiredChanged(true)))
  expect(dialog.textContent).toContain('Your session expired while you were offline')
  expect(dialog.textContent).not.toContain(failureTitle)
  act(() => {
    store.dispatch(sessionExpiredChanged(false))
    store.dispatch(networkStateChanged('offline'))
    store.dispatch(deviceFullChanged(true))
  })
  expect(dialog.textContent).toContain('There is no space left on this device')
  expect(dialog.textContent).not.toContain(failureTitle)
  expect(readDescription(saveButton)).toMatch(/space/)
})
