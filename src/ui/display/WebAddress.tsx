import { CopyText } from '#ui/display/CopyText.tsx'
import { Icon } from '#ui/icons/Icon.tsx'

/** Anything but a web address is shown and leads nowhere. */
export const isWebAddress = (text: string | null): text is string => text !== null && /^https?:\/\//i.test(text)

/** Where something of ours can be reached, in a tab of its own, and a button that copies it (C-25); `emptyText`: what is said where it cannot. */
export function WebAddress({ to, emptyText }: { to: string | null; emptyText: string }) {
  if (!isWebAddress(to)) return to || emptyText
  return (
    <CopyText text={to}>
      <a href={to} target="_blank" rel="noreferrer noopener">
        {to} <Icon name="external" size={16} />
      </a>
    </CopyText>
  )
}
