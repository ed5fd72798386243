/**
 * Generated input, the same in every run: whether a run is green does not depend on luck. GENERATED_SEED asks
 * for other input.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.GENERATED_SEED ?? 20261127) });

export default fc;
