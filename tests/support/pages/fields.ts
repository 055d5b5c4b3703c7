/** Forms as they are found and used by who sits before them. */
import { screen } from '@testing-library/dom'
import type { UserEvent } from '@testing-library/user-event'

/** By its label, which names what may be left empty as such. */
export const getField = (label: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${label}`))
export const getButton = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
export const findHeading = (name: string) => screen.findByRole('heading', { level: 1, name })

/** What is said with that element: the error beside a field, why a button cannot be pressed. */
export const readDescription = (element: Element): string =>
  (element.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')

/** What is wrong with each field that is marked as wrong, by its name. */
export const readProblems = (): Record<string, string> =>
  Object.fromEntries(
    [...document.querySelectorAll<HTMLInputElement>('[aria-invalid]')].map(({ name, id }) => [
      name,
      document.getElementById(`${id}-error`)?.textContent ?? '',
    ]),
  )

/** Types what is given into the fields of those names, in the place of what stood there. */
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

/** Types what a dialog asks for before it does what cannot be undone (M52): the value, and the code that it shows. */
export async function typeConfirmation(user: UserEvent, value: string): Promise<void> {
  await screen.findByLabelText(/^Confirmation code/)
  const code = [...document.querySelectorAll('.confirm-code code')].map(({ textContent }) => textContent).join('')
  await typeValues(user, { 'typed-value': value, 'typed-code': code })
}

/** The field of that name. */
export function getNamedField(name: string): HTMLInputElement {
  const input = document.querySelector<HTMLInputElement>(`main [name="${name}"], [role=dialog] [name="${name}"]`)
  if (!input) throw new Error(`there is no field ${name}`)
  return input
}
