import type { ComponentProps } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'

export const Select = (props: ComponentProps<'select'>) => (
  <span className="select">
    <select className="input" {...props} />
    <Icon name="down" size={16} />
  </span>
)
