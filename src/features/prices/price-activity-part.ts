import type { ComponentType } from 'react'

/** The latest changes of the price list with this effective date, or of all lists. The app passes it, because it belongs to the trail. */
export type PriceActivityPart = ComponentType<{ day?: string; refreshKey: unknown }>
