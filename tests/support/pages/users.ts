/** Finds rows of a list of users in the simulated DOM. */
import { screen } from '@testing-library/dom'
import type { UserEvent } from '@testing-library/user-event'
import { getButton } from '#tests/support/pages/fields.ts'

const getRows = () => [...document.querySelectorAll<HTMLElement>('table.table tbody tr:not(.waiting)')]

export const readNames = (): string[] => getRows().map((row) => row.querySelector('.lead')?.textContent?.trim() ?? '')

export const findRow = (text: string): HTMLElement | undefined =>
  getRows().find(({ textContent }) => textContent?.includes(text))

export async function userAction(user: UserEvent, name: string, action: string): Promise<void> {
  await user.click(getButton(`More for ${name}`))
  await user.click(await screen.findByRole('menuitem', { name: action }))
}

export async function saveUser(user: UserEvent): Promise<void> {
  const submitButton = document.querySelector('[role=dialog] button[type=submit]')
  if (!submitButton) throw new Error('there is no form')
  await user.click(submitButton)
}
