let listener: () => void = () => undefined

/** Opens the help of the current page, from a part that does not render the help button. */
export const openHelp = (): void => listener()

export const setHelpListener = (onOpen: () => void): void => {
  listener = onOpen
}
