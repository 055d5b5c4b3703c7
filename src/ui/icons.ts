/** The icons of everything behind the login; added to the few that its page has, so that it need not load them. */
import { strokes } from '#ui/strokes.ts'

export const inside = {
  home: 'M3 9.2 10 3.5l7 5.7M5 8v8.5h10V8M8.2 16.5v-4.6h3.6v4.6',
  service: 'M3.5 4h13v5h-13zM3.5 11h13v5h-13zM6.2 6.5h.1M6.2 13.5h.1M9 6.5h4.8M9 13.5h4.8',
  contract: 'M5 2.8h6.8L15.5 6.5v10.7H5zM11.5 3v3.8h3.8M7.6 10.2h5M7.6 13.2h5',
  company: 'M4 17V3.5h8V17M12 8h4.2v9M2.8 17h14.4M6.6 6.7h.1M9.4 6.7h.1M6.6 9.8h.1M9.4 9.8h.1M6.6 12.9h.1M9.4 12.9h.1',
  users:
    'M7.5 9.4a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8M2.3 16.4c.4-3 2.5-4.6 5.2-4.6s4.8 1.6 5.2 4.6M13 3.9a2.9 2.9 0 0 1 0 5.3M14.8 12.2c1.7.6 2.7 2.1 2.9 4.2',
  person: 'M10 9.6a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4M3.9 17c.5-3.4 2.9-5.2 6.1-5.2s5.6 1.8 6.1 5.2',
  key: 'M12.8 11.2a4.2 4.2 0 1 0-4-2.9L3 14.1V17h2.9v-2h2v-2l1.5-1.5c.9.5 2.1.6 3.4-.3M13.5 6.6h.1',
  trail: 'M4 5.5h.1M4 10h.1M4 14.5h.1M7.5 5.5h9M7.5 10h9M7.5 14.5h6',
  history: 'M3.2 10a6.8 6.8 0 1 0 2.1-4.9M3.2 3.4v3.2h3.2M10 6.3V10l2.6 1.7',
  upload: 'M10 13V4M6.5 7.2 10 3.7l3.5 3.5M3.8 12.8v3.4h12.4v-3.4',
  module: 'M10 2.8 16.5 6.3v7.4L10 17.2l-6.5-3.5V6.3zM3.7 6.4 10 9.9l6.3-3.5M10 9.9v7.1',
  price: 'M10.6 3h5.9v5.9l-7.6 7.6L3 10.6zM13.2 6.7h.1',
  outbox: 'M3 11.5 5 4.5h10l2 7v4.5H3zM3.2 11.5h4l1 2h3.6l1-2h4',
  device: 'M5.5 2.8h9v14.4h-9zM9 14.7h2',
  activity: 'M2.8 10.5h3.4l2-5.5 3.4 10 2.2-4.5h3.4',
  menu: 'M3.5 5.5h13M3.5 10h13M3.5 14.5h13',
  left: 'M12 5.5 7.5 10l4.5 4.5',
  right: 'M8 5.5l4.5 4.5L8 14.5',
  ascending: 'M10 15.5v-11M6 8.5l4-4 4 4',
  descending: 'M10 4.5v11M6 11.5l4 4 4-4',
  more: 'M5 10h.1M10 10h.1M15 10h.1',
  search: 'M9 14.2A5.2 5.2 0 1 0 9 3.8a5.2 5.2 0 0 0 0 10.4M12.9 12.9 17 17',
  plus: 'M10 4.2v11.6M4.2 10h11.6',
  edit: 'M4 16l.7-3.3 8.6-8.6 2.6 2.6-8.6 8.6zM11.5 5.9l2.6 2.6',
  remove: 'M4 5.7h12M7.8 5.5V3.6h4.4v1.9M5.5 5.7l.7 11h7.6l.7-11M8.5 8.7v5M11.5 8.7v5',
  stop: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M5.2 5.2l9.6 9.6',
  play: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M8.5 7.3v5.4l4.3-2.7z',
  external: 'M11.5 3.5h5v5M16.2 3.8 9.5 10.5M14 11.5v4.8H3.7V6h4.8',
  leave: 'M8 3.5H4v13h4M12.5 6.5 16 10l-3.5 3.5M16 10H7.5',
  install: 'M10 3.5v8.3M6.7 8.6 10 11.9l3.3-3.3M3.8 13.5v2.8h12.4v-2.8',
  system: 'M3 4h14v9.5H3zM7.5 16.5h5M10 13.5v3',
} as const

Object.assign(strokes, inside)
