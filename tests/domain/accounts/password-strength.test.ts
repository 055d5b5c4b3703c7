import { expect, it } from 'vitest'
import { type PasswordStrength, ratePassword } from '#domain/accounts/password-strength.ts'

it.each<[password: string, strength: PasswordStrength]>([
  ['', 'weak'],
  ['Ab1!xyz', 'weak'],
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['abcdefgh', 'weak'],
  ['12345678', 'weak'],
  ['kxqwmvbt', 'fair'],
  ['Quiet-harbour-27', 'strong'],
  ['Slow-river-under-9-bridges', 'strong'],
  ['长江流域风景如画', 'good'],
])('%o is %s to guess', (password, strength) => {
  expect(ratePassword(password)).toBe(strength)
})

it('what the user is called is worth next to nothing', () => {
  const ownNames = ['Amelia Chan', 'amelia.chan@acme.example', 'acme']
  expect(ratePassword('AmeliaChan2026', ownNames)).toBe('weak')
  expect(ratePassword('acme-amelia-1', ownNames)).toBe('weak')
})

it('more of the same kind never makes it weaker', () => {
  const strengthOrder: PasswordStrength[] = ['weak', 'fair', 'good', 'strong']
  const fullPassword = 'k7#Qx-mB2!vTw9zR'
  const levels = [...fullPassword].map((_, index) =>
    strengthOrder.indexOf(ratePassword(fullPassword.slice(0, index + 1))),
  )
  expect(levels).toEqual(levels.toSorted((a, b) => a - b))
})
