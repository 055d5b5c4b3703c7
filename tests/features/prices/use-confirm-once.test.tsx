import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import '#features/prices/words.ts'
import type { OpenedPriceList } from '#features/prices/price-list-form.ts'
import { ConfirmButton, ConfirmDialogs } from '#features/prices/rehearsal/ConfirmButton.tsx'
import { rehearsalHeadingId } from '#features/prices/sections/heading-ids.ts'
import type { RehearsalOutput } from '#features/prices/rehearsal/rehearsal-slice.ts'
import { buildRefusal, createCallRecorder, lostResult } from '#tests/features/call-recorder.tsx'

const typist = userEvent.setup()
const buildRow = (row_version: number) =>
  ({
    row: { id: 7, row_version, type: 'm18', desc: 'Next', effective_date: '2031-01-01', confirmed: false },
    waiting: null,
  }) as unknown as OpenedPriceList
const rehearsalResult = { contracts: 3, failing: 0 } as RehearsalOutput

interface TestedProps {
  rowVersion: number
  result?: RehearsalOutput | null
  start?: () => void
}

function TestedButton({ rowVersion, result = rehearsalResult, start = () => {} }: TestedProps) {
  const [isConfirming, setConfirming] = useState(false)
  const row = buildRow(rowVersion)
  return (
    <>
      <ConfirmButton
        {...{ row }}
        hasChanges={false}
        isUsable
        isRehearsing={false}
        onConfirm={() => setConfirming(true)}
      />
      <ConfirmDialogs
        {...{ row, isConfirming, setConfirming }}
        rehearsal={{ result, start }}
        today="2030-01-01"
        onConfirmed={() => {}}
      />
    </>
  )
}
const buildButton = (rowVersion: number) => <TestedButton rowVersion={rowVersion} />

/** Opens the dialog, confirms, and closes the dialog after the response. Returns the intent of the call. */
async function confirm(
  { calls, respond }: ReturnType<typeof createCallRecorder>,
  result: Parameters<typeof respond>[0],
) {
  await typist.click(screen.getByRole('button', { name: 'Confirm…' }))
  const dialog = await screen.findByRole('dialog')
  const callCount = calls.length
  const button = [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Confirm price list')
  await typist.click(button as HTMLElement)
  expect(calls).toHaveLength(callCount + 1)
  await respond(result)
  await typist.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  return calls.at(-1)?.options?.intent
}

beforeEach(startMessages)
afterEach(cleanup)

it('<ConfirmButton> repeats the intent of a lost response, even if the dialog was closed', async () => {
  const server = createCallRecorder()
  const { rerender } = render(buildButton(3), { wrapper: server.wrapper })
  const intent = await confirm(server, lostResult)
  expect(intent).toHaveLength(36)
  expect(await confirm(server, lostResult)).toBe(intent)
  rerender(buildButton(4))
  expect(await confirm(server, lostResult)).not.toBe(intent)
})

it('<ConfirmButton> uses a new intent after a refusal', async () => {
  const server = createCallRecorder()
  render(buildButton(3), { wrapper: server.wrapper })
  const intent = await confirm(server, buildRefusal('BUSY'))
  expect(await confirm(server, lostResult)).not.toBe(intent)
})

it('<ConfirmButton> offers a trial run if there is none', async () => {
  const { wrapper } = createCallRecorder()
  const start = vi.fn()
  render(
    <h2 id={rehearsalHeadingId} tabIndex={-1}>
      Trial run
    </h2>,
  )
  render(<TestedButton rowVersion={3} result={null} start={start} />, { wrapper })
  await typist.click(screen.getByRole('button', { name: 'Confirm…' }))
  const dialog = await screen.findByRole('dialog', { name: 'A trial run is needed first' })
  await typist.click(within(dialog).getByRole('button', { name: 'Start trial run' }))
  expect(start).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Trial run' }))
})
