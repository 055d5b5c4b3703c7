import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMessages } from '#app/i18n/page-messages.ts'
import { Menu } from '#ui/overlay/Menu.tsx'

beforeEach(startMessages)
afterEach(cleanup)

it('Choices of a menu are a named group, and the arrow keys pass through all items', async () => {
  const user = userEvent.setup()
  const theme = (key: string, isChosen: boolean) => ({
    key,
    label: key,
    group: 'Colours',
    isChosen,
    onSelect: () => {},
  })
  render(
    <main>
      <Menu
        label="My account"
        items={[
          { key: 'profile', label: 'Profile', onSelect: () => {} },
          theme('Light', true),
          theme('Dark', false),
          { key: 'logout', label: 'Logout', onSelect: () => {} },
        ]}
      />
    </main>,
  )
  await user.click(screen.getByRole('button', { name: 'My account' }))
  const choices = within(screen.getByRole('group', { name: 'Colours' })).getAllByRole('menuitemradio')
  expect(choices.map(({ textContent }) => textContent)).toEqual(['Light', 'Dark'])
  const passedTexts: (string | null | undefined)[] = []
  for (const key of ['{ArrowDown}', '{ArrowRight}', '{ArrowDown}', '{ArrowLeft}']) {
    await user.keyboard(key)
    passedTexts.push(document.activeElement?.textContent)
  }
  expect(passedTexts).toEqual(['Light', 'Dark', 'Logout', 'Dark'])
})
