/** Users by range: each user costs what the range says that they are in (D2). */
import type { Hundredths } from '#domain/money.ts'
import type { Range } from '#domain/fees/price-list.ts'

export interface UserLine extends Range {
  /** Of the users, how many lie in this range. */
  users: number
  amount: Hundredths
}

/** Null: some users lie in no range, and no price is made up for them (D3). */
export function priceUsers(ranges: readonly Range[], users: number): UserLine[] | null {
  const lines: UserLine[] = []
  let priced = 0
  for (const { from, to, price } of ranges) {
    const inside = Math.min(users, to) - Math.max(from, 1) + 1
    if (inside <= 0) continue
    priced += inside
    lines.push({ from, to, price, users: inside, amount: price * BigInt(inside) })
  }
  return priced === users ? lines : null
}
