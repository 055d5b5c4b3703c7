/** Finds and fills form fields as a user does. */
import { screen, within } from '@testing-library/dom'
import type { UserEvent } from '@testing-library/user-event'

/** Finds a field by the start of its label, which is followed by a note if the field is optional. */
export const getField = (label: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${label}`))
export const getButton = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
/** Returns the button below the text of an empty list. */
export const getEmptyListButton = (name: string) =>
  within(document.querySelector<HTMLElement>('.empty-action') ?? document.body).getByRole<HTMLButtonElement>('button', {
    name,
  })
export const findHeading = (name: string) => screen.findByRole('heading', { level: 1, name })

/** Returns the description of the element: the error of a field, or the reason why a button is disabled. */
export const readDescription = (element: Element): string =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')

export const readProblems = (): Record<string, string> =>
  Object.fromEntries(
    [...document.querySelectorAll<HTMLInputElement>('[aria-invalid]')].map(({ name, id }) => [
      name,
      document.getElementById(`${id}-error`)?.textContent ?? '',
    ]),
  )

export async function typeValues(user: UserEvent, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const input = getNamedField(name)
    await user.clear(input)
    if (value) await user.type(input, value.replaceAll(/[[{]/g, '$&$&'))
  }
}

export const submit = async (user: UserEvent): Promise<void> => {
  const [last] = [...document.querySelectorAll<HTMLButtonElement>('form button[type="submit"]')].slice(-1)
  if (!last) throw new Error('there is no form')
  await user.click(last)
}

/** Types what a dialog requires before an irreversible action (M52): the value, and the displayed code. */
export async function typeConfirmation(user: UserEvent, value: string): Promise<void> {
  await screen.findByLabelText(/^Confirmation code/)
  const code = [...document.querySelectorAll('.confirm-code code')].map(({ textContent }) => textContent).join('')
  await typeValues(user, { 'typed-value': value, 'typed-code': code })
}

/** Finds the field of that name in the page or an open dialog. */
export function getNamedField(name: string): HTMLInputElement {
  const input = document.querySelector<HTMLInputElement>(`main [name="${name}"], [role=dialog] [name="${name}"]`)
  if (!input) throw new Error(`there is no field ${name}`)
  return input
}
