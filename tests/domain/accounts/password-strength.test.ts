import { expect, it } from 'vitest'
import { type Strength, strengthOf } from '#domain/accounts/password-strength.ts'

it.each<[password: string, strength: Strength]>([
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
  expect(strengthOf(password)).toBe(strength)
})

it('what the user is called is worth next to nothing', () => {
  const own = ['Amelia Chan', 'amelia.chan@acme.example', 'acme']
  expect(strengthOf('AmeliaChan2026', own)).toBe('weak')
  expect(strengthOf('acme-amelia-1', own)).toBe('weak')
})

it('more of the same kind never makes it weaker', () => {
  const order: Strength[] = ['weak', 'fair', 'good', 'strong']
  const whole = 'k7#Qx-mB2!vTw9zR'
  const levels = [...whole].map((_, at) => order.indexOf(strengthOf(whole.slice(0, at + 1))))
  expect(levels).toEqual(levels.toSorted((a, b) => a - b))
})
