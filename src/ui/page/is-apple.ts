/** True on Macs, iPhones and iPads, where shortcuts use the Command key. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)
