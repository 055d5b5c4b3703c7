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
])('ratePassword rates %o as %s', (password, strength) => {
  expect(ratePassword(password)).toBe(strength)
})

it("ratePassword rates passwords as weak if they are made of the user's own names", () => {
  const ownNames = ['Amelia Chan', 'amelia.chan@acme.example', 'acme']
  expect(ratePassword('AmeliaChan2026', ownNames)).toBe('weak')
  expect(ratePassword('acme-amelia-1', ownNames)).toBe('weak')
})

it('ratePassword never rates a password lower after characters are added', () => {
  const strengthOrder: PasswordStrength[] = ['weak', 'fair', 'good', 'strong']
  const fullPassword = 'k7#Qx-mB2!vTw9zR'
  const levels = [...fullPassword].map((_, index) =>
    strengthOrder.indexOf(ratePassword(fullPassword.slice(0, index + 1))),
  )
  expect(levels).toEqual(levels.toSorted((a, b) => a - b))
})
