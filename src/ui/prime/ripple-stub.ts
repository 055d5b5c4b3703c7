/** Replaces parts of PrimeReact's dialog that are never displayed here (vite.config.ts): ripple and resizing. */
export const Ripple = () => null
export { Ripple as WindowMaximizeIcon, Ripple as WindowMinimizeIcon }
