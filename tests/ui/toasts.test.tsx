import { render, screen } from '@testing-library/react'
import { act } from 'react'
import { expect, it } from 'vitest'
import '#ui/icons/app-icons.ts'
import { showToast, Toasts } from '#ui/overlay/toasts.tsx'

it('says the same thing once, however often it happens, and another thing beside it', async () => {
  render(<Toasts />)
  act(() => {
    for (let time = 0; time < 3; time += 1) showToast({ kind: 'failed', text: 'Update failed.' })
    showToast({ kind: 'note', text: 'Update failed.' })
    showToast({ kind: 'failed', text: 'Code not exists' })
  })
  expect(screen.getAllByText('Update failed.')).toHaveLength(2)
  screen.getByText('Code not exists')
})
