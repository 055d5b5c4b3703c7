/** User prices by range: each user costs the price of the range that the user is in (D2). */
import type { Hundredths } from '#domain/money.ts'
import type { PriceRange } from '#domain/fees/price-list.ts'

export interface UserLine extends PriceRange {
  users: number
  amount: Hundredths
}

/** Returns null if some users are in no range, because no price can be derived for them (D3). */
export function priceUsers(ranges: readonly PriceRange[], users: number): UserLine[] | null {
  const lines: UserLine[] = []
  let pricedUsers = 0
  for (const { from, to, price } of ranges) {
    const userCount = Math.min(users, to) - Math.max(from, 1) + 1
    if (userCount <= 0) continue
    pricedUsers += userCount
    lines.push({ from, to, price, users: userCount, amount: price * BigInt(userCount) })
  }
  return pricedUsers === users ? lines : null
}
