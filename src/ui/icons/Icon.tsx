import type { appIcons } from '#ui/icons/app-icons.ts'
import type { orderIcons } from '#ui/icons/order-icons.ts'
import { type basicIcons, iconPaths } from '#ui/icons/icon-paths.ts'

export type IconName = keyof typeof basicIcons | keyof typeof appIcons | keyof typeof orderIcons

/** An icon that decorates a text. Hidden from screen readers, which read the text. */
export function Icon({ name, size = 20 }: { name: IconName; size?: 16 | 20 | 24 | 40 }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={iconPaths[name]} />
    </svg>
  )
}
