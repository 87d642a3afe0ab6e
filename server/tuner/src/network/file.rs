//! The file of a network: tensors and metadata in the safetensors format.

use super::{Layer, MeanSquareError, Network, NetworkError, NetworkMetadata, Scaling};
use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::str::FromStr;

/// Maximum number of layers in a file. limit: a damaged file is rejected quickly.
const MAX_LAYERS: usize = 64;

impl Network {
    /// Reads a network from the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let none = HashMap::new();
        let about = about(header.metadata().as_ref().unwrap_or(&none))?;
        let tensors = SafeTensors::deserialize(bytes)?;
        let scaling = Scaling { mean: numbers(&tensors, "mean")?.0, scale: numbers(&tensors, "scale")?.0 };
        let mut layers = Vec::with_capacity(about.hidden.len() + 1);
        for index in 0..=about.hidden.len() {
            let name = format!("weights.{index}");
            let (values, shape) = numbers(&tensors, &name)?;
            let &[inputs, outputs] = &shape[..] else {
                return Err(wrong_tensor(name, format!("shape {shape:?}"), "two dimensions"));
            };
            let weights = Array2::from_shape_vec((inputs, outputs), values);
            let weights =
                weights.map_err(|_| wrong_tensor(name, format!("shape {shape:?}"), "its numbers"))?;
            let bias = Array1::from_vec(numbers(&tensors, &format!("bias.{index}"))?.0);
            layers.push(Layer { weights, bias });
        }
        Self::new(about, scaling, layers)
    }

    /// Returns the bytes of a network file. Equal networks have equal bytes, because the header is sorted.
    pub fn write(&self) -> Vec<u8> {
        let mut header = Map::new();
        header.insert("__metadata__".to_owned(), Value::Object(metadata(&self.about)));
        let mut data = Vec::with_capacity(4 * (self.weights() + 2 * self.about.features.len()));
        let mut add = |name: String, shape: &[usize], values: &mut dyn Iterator<Item = &f32>| {
            let start = data.len();
            values.for_each(|value| data.extend_from_slice(&value.to_le_bytes()));
            header.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]}));
        };
        let Scaling { mean, scale } = &self.scaling;
        add("mean".to_owned(), &[mean.len()], &mut mean.iter());
        add("scale".to_owned(), &[scale.len()], &mut scale.iter());
        for (index, Layer { weights, bias }) in self.layers.iter().enumerate() {
            add(format!("weights.{index}"), weights.shape(), &mut weights.iter());
            add(format!("bias.{index}"), bias.shape(), &mut bias.iter());
        }
        let mut header = Value::Object(header).to_string();
        // The data are aligned to eight bytes.
        let padding = header.len().next_multiple_of(8) - header.len();
        header.extend(std::iter::repeat_n(' ', padding));
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.append(&mut data);
        bytes
    }
}

fn metadata(about: &NetworkMetadata) -> Map<String, Value> {
    let joined = |values: &[usize]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let errors = about.errors.iter();
    let errors = errors.map(|error| format!("{}:{}:{}", error.held_out, error.samples, error.value));
    let entries = [
        ("date", about.date.clone()),
        ("errors", errors.collect::<Vec<_>>().join(",")),
        ("features", about.features.join(",")),
        ("gpu", about.gpu.clone()),
        ("hidden", joined(&about.hidden)),
        ("problem", about.problem.to_string()),
        ("samples", about.samples.to_string()),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), Value::String(value))).collect()
}

fn about(map: &HashMap<String, String>) -> Result<NetworkMetadata, NetworkError> {
    let text =
        |key, expected| map.get(key).map(String::as_str).ok_or(NetworkError::Metadata { key, expected });
    let problem = text("problem", "gemm or conv")?;
    let problem =
        problem.parse().map_err(|_| NetworkError::Metadata { key: "problem", expected: "gemm or conv" })?;
    let hidden: Vec<usize> = list("hidden", text("hidden", "sizes of layers")?, "sizes of layers")?;
    if hidden.len() >= MAX_LAYERS {
        return Err(NetworkError::Metadata { key: "hidden", expected: "fewer than 64 layers" });
    }
    let errors = text("errors", "mean square errors")?;
    let errors = errors.split(',').filter(|error| !error.is_empty()).map(|error| {
        let mut parts = error.splitn(3, ':');
        let (held_out, samples, value) = (parts.next()?, parts.next()?, parts.next()?);
        let (samples, value) = (samples.parse().ok()?, value.parse().ok()?);
        Some(MeanSquareError { held_out: held_out.to_owned(), samples, value })
    });
    let wrong_errors = NetworkError::Metadata { key: "errors", expected: "`held out:samples:error`" };
    Ok(NetworkMetadata {
        problem,
        gpu: text("gpu", "the name of a GPU")?.to_owned(),
        features: list("features", text("features", "names of features")?, "names of features")?,
        hidden,
        samples: text("samples", "a count")?
            .parse()
            .map_err(|_| NetworkError::Metadata { key: "samples", expected: "a count" })?,
        date: text("date", "a date")?.to_owned(),
        errors: errors.collect::<Option<_>>().ok_or(wrong_errors)?,
    })
}

fn list<T: FromStr>(key: &'static str, text: &str, expected: &'static str) -> Result<Vec<T>, NetworkError> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    let values = parts.map(|part| part.parse().map_err(|_| NetworkError::Metadata { key, expected }));
    values.collect()
}

/// The numbers of a tensor and its shape.
fn numbers(tensors: &SafeTensors<'_>, name: &str) -> Result<(Vec<f32>, Vec<usize>), NetworkError> {
    let tensor = tensors.tensor(name)?;
    if tensor.dtype() != Dtype::F32 {
        return Err(wrong_tensor(name.to_owned(), format!("type {:?}", tensor.dtype()), "type F32"));
    }
    let (numbers, _) = tensor.data().as_chunks::<4>();
    Ok((numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), tensor.shape().to_vec()))
}

fn wrong_tensor(name: String, found: String, expected: &str) -> NetworkError {
    NetworkError::Tensor { name, found, expected: expected.to_owned() }
}
