/** Anything but a web address is shown and leads nowhere. */
export const isWebAddress = (text: string | null): text is string => text !== null && /^https?:\/\//i.test(text)
