import type { ComponentProps } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'

/** The browser's own choice of one, with the mark that all of ours have. */
export const Select = (props: ComponentProps<'select'>) => (
  <span className="select">
    <select className="input" {...props} />
    <Icon name="down" size={16} />
  </span>
)
