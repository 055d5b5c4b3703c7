import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { afterEach, expect, it, vi } from 'vitest'
import { useEscape } from '#ui/overlay/useEscape.ts'

afterEach(cleanup)

/** Like a bar that is inactive while its dialog is open. React closes the dialog during the event. */
function Bar({ onEscape }: { onEscape: () => void }) {
  const [isOpen, setIsOpen] = useState(true)
  useEscape(onEscape, !isOpen)
  return (
    <>
      <input aria-label="outside" />
      {isOpen && (
        <div role="dialog" aria-label="dialog">
          <input aria-label="inside" onKeyDown={() => flushSync(() => setIsOpen(false))} />
        </div>
      )}
    </>
  )
}

it('Escape that closes a dialog does nothing else, and the next one is handled', () => {
  const onEscape = vi.fn()
  render(<Bar onEscape={onEscape} />)
  fireEvent.keyDown(screen.getByLabelText('inside'), { key: 'Escape' })
  expect([screen.queryByRole('dialog'), onEscape.mock.calls.length]).toEqual([null, 0])
  fireEvent.keyDown(screen.getByLabelText('outside'), { key: 'Escape', isComposing: true })
  expect(onEscape).not.toHaveBeenCalled()
  fireEvent.keyDown(screen.getByLabelText('outside'), { key: 'Escape' })
  expect(onEscape).toHaveBeenCalledOnce()
})
