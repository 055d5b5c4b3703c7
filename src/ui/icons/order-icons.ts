/** Adds icons that only the order pages use, and that are loaded with them (docs/decisions/0036). */
import { iconPaths } from '#ui/icons/icon-paths.ts'

export const orderIcons = {
  print: 'M6 7.5V3h8v4.5M6 14H3.5V7.5h13V14H14M6 11.5h8V17H6zM13.6 9.8h.1',
  tools:
    'M3.5 6h7M14 6h2.5M3.5 14H6M9.5 14h7M12.2 4.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6M7.8 12.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6',
  minus: 'M4.2 10h11.6',
  calendar: 'M3.5 5h13v11.5h-13zM3.5 8.7h13M7 3.2v3M13 3.2v3',
} as const

Object.assign(iconPaths, orderIcons)
