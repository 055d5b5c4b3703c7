/** Paths of line icons on a 20 px grid with one stroke. They replace an icon font. */
export const basicIcons = {
  hidden:
    'M2.8 10s2.5-4.7 7.2-4.7 7.2 4.7 7.2 4.7-2.5 4.7-7.2 4.7S2.8 10 2.8 10M10 12.1a2.1 2.1 0 1 0 0-4.2 2.1 2.1 0 0 0 0 4.2M4 16.5 16 3.5',
  seen: 'M2.8 10s2.5-4.7 7.2-4.7 7.2 4.7 7.2 4.7-2.5 4.7-7.2 4.7S2.8 10 2.8 10M10 12.1a2.1 2.1 0 1 0 0-4.2 2.1 2.1 0 0 0 0 4.2',
  close: 'm5 5 10 10M15 5 5 15',
  check: 'm4 10.5 4 4 8-9',
  down: 'm5.5 8 4.5 4.5L14.5 8',
  refresh: 'M16.5 10a6.5 6.5 0 1 1-2-4.7M16.5 3.2v3.3h-3.3',
  mail: 'M3 5h14v10.5H3zM3.2 5.5 10 11l6.8-5.5',
  copy: 'M7 7h9.5v9.5H7zM4.5 13H3.5V3.5H13v1',
  language:
    'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M3.2 10h13.6M10 3c2.2 2 3.2 4.3 3.2 7s-1 5-3.2 7c-2.2-2-3.2-4.3-3.2-7S7.8 5 10 3',
  light:
    'M10 13.3a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6M10 2.5v1.6M10 15.9v1.6M2.5 10h1.6M15.9 10h1.6M4.7 4.7l1.1 1.1M14.2 14.2l1.1 1.1M4.7 15.3l1.1-1.1M14.2 5.8l1.1-1.1',
  dark: 'M16.5 11.8A6.8 6.8 0 0 1 8.2 3.5a6.8 6.8 0 1 0 8.3 8.3',
  online: 'M5.8 15.5a3.7 3.7 0 0 1-.5-7.3 4.9 4.9 0 0 1 9.4.6 3.4 3.4 0 0 1-.3 6.7z',
  offline: 'M8 5.3a4.9 4.9 0 0 1 6.7 3.5 3.4 3.4 0 0 1 1.9 5.4M12.5 15.5H5.8a3.7 3.7 0 0 1-.5-7.3M3.5 3.5l13 13',
  alert: 'M10 3.2 17.5 16.5h-15zM10 8.2v4M10 14.3h.1',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 9.3v4.2M10 6.6h.1',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M8 8.2a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.3M10 13.7h.1',
  lock: 'M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  waiting: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 6v4.3l2.7 1.7',
} as const

/** All icons that are loaded. `app-icons.ts` and `order-icons.ts` add more icons when they are loaded. */
export const iconPaths: Record<string, string> = { ...basicIcons }
