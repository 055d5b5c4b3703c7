import { Icon } from '#ui/icons/Icon.tsx'

/** Says once above a list why its buttons are disabled without a connection. */
export const OfflineNote = ({ text }: { text: string }) => (
  <p className="problem offline">
    <Icon name="offline" />
    {text}
  </p>
)
