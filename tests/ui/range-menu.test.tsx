import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { RangeMenu } from '#ui/form/RangeMenu.tsx'

afterEach(cleanup)

function renderMenu() {
  render(
    <>
      <RangeMenu title="Days" text="Today" className="days">
        {(close) => (
          <>
            <button type="button">Any time</button>
            <button type="button" aria-pressed onClick={close}>
              Today
            </button>
          </>
        )}
      </RangeMenu>
      <button type="button">Outside</button>
    </>,
  )
  const button = screen.getByRole('button', { name: /^Days/ })
  fireEvent.click(button)
  return button
}

it('The panel of a range opens on the selected choice, and a choice or Escape returns the focus to the button', () => {
  const button = renderMenu()
  const choice = screen.getByRole('button', { name: 'Today', pressed: true })
  expect(document.activeElement).toBe(choice)
  fireEvent.click(choice)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(button)
  fireEvent.click(button)
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(button)
})

it('The panel of a range closes when the user presses elsewhere', () => {
  renderMenu()
  fireEvent.pointerDown(screen.getByRole('dialog', { name: 'Days' }))
  expect(screen.queryByRole('dialog')).not.toBeNull()
  fireEvent.pointerDown(screen.getByRole('button', { name: 'Outside' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
